"""Layers with fast weights, trained from random weights on tasks that tell online learners apart, beside the learners
that they contain. The layers themselves are not here, but in `lab.attention.fast_weights`."""
