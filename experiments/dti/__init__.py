"""Decoders of click streams, trained on one or many targets a prompt: `python run.py experiment=dti`."""
