"""A language model that reads its demonstrations again: `python run.py experiment=language_deep_thinking`. Small
decoders of the lab's tasks are another kind, `deep_thinking`, and not here."""
