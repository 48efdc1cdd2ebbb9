"""Softmax attention as gradient descent on random features of its kernel: `python run.py experiment=softmax_dual`.
Feature maps are `lab.features`, and no decoder is trained here."""
