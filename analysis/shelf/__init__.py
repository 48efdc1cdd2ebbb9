"""`python run.py runs ...`: the list and the comparison of runs that are there. Nothing here runs, draws, judges or
removes."""
