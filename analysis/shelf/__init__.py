"""`python run.py runs ...`: the list and the comparison of existing runs. Nothing here runs, draws or removes."""
