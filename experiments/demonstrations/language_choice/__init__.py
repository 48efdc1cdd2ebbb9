"""The choice among several sets of demonstrations for a language model: `python run.py experiment=language_choice`.
Small decoders of the lab's tasks are another kind, `demonstration_choice`, and not here."""
