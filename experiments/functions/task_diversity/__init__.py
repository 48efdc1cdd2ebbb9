"""Few functions or many in training: `python run.py experiment=task_diversity`. The pool of functions is a task
(`tasks.pool`) and not a file here."""
