"""The savings of prompts of many targets, in operations and time: `python run.py experiment=dti_cost_source`.
Nothing is trained here."""
