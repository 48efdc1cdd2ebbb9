"""Attention with a moving average of values beside it: `python run.py experiment=momentum_attention`."""
