"""Pretrained language models: the folders they come in, one forward pass for all families, and scores of answers.
Nothing here knows an experiment or a data set, runs code that a folder holds, or needs PyTorch."""
