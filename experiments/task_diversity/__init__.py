"""Few functions or many in training: `python run.py experiment=task_diversity`."""
