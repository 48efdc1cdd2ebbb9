"""Classes of functions, learned in context: `python run.py experiment=functions_linear`."""
