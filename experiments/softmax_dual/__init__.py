"""Softmax attention as gradient descent on random features of its kernel: `python run.py experiment=softmax_dual`."""
