"""A language model, fine-tuned by low-rank factors to predict the clicks of a log: `python run.py
experiment=dti_language`. Decoders that are trained from nothing are in `click_log`, and not here."""
