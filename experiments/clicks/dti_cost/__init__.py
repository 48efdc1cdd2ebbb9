"""The savings of prompts of many targets, in operations and time: `python run.py experiment=dti_cost`. Nothing is
trained here."""
