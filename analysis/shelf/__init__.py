"""`python run.py runs ...`: the list, the comparison and the page of runs that are there. Nothing here runs, draws or
judges, and only `remove` removes."""
