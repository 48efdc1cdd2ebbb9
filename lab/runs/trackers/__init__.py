"""Other people's viewers of training curves, one file per tracker. None is imported unless it was asked for, and a run
without one is the same."""
