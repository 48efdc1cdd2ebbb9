"""A language model behind more and more demonstrations: `python run.py experiment=language_examples`.
What reading them again or fine-tuning on them does has kinds of its own, and is not here."""
