"""A language model recommends the next item by the probability of its title: `python run.py
experiment=language_recommend`. Recommenders that are fitted to the log are in `recommend`, and not here."""
