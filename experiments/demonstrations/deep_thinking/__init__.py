"""Reading the context again: `python run.py experiment=deep_thinking`. Decoders come from the run of another kind, and
none is trained here."""
