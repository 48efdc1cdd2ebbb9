"""What prompts of many targets save: `python run.py experiment=dti_cost`."""
