"""Attention in all forms: fast products, softmax, feature maps, bands, windows, resets. Nothing here has weights or
knows a prompt: learners and layouts do."""
