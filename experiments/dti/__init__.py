"""Decoders of click streams, trained on prompts of one or many targets: `python run.py experiment=dti`."""
