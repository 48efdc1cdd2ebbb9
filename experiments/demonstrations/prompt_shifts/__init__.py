"""Trained decoders on prompts that are drawn otherwise: `python run.py experiment=prompt_shifts`. Decoders come from
the run of another kind, and none is trained here."""
