"""Decoders of click streams, trained on prompts of one or many targets: `python run.py experiment=dti`. Masks and
resets are `lab.attention`, and no mask is made here."""
