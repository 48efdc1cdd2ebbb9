"""Classes of functions, learned in context: `python run.py experiment=functions_linear`. A class of functions is a task
(`tasks.functions`) and not a file here."""
