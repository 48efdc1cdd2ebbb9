"""Attention with a moving average of values beside it: `python run.py experiment=momentum_attention`. Linear layers
with momentum belong to the kind `comparison`, and not here."""
