"""The choice of one set of demonstrations by scores on validation queries: `python run.py
experiment=demonstration_choice`. Search over sets is another kind, `demonstrations`, and not here."""
