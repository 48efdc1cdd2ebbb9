"""The ways in which the order of tokens enters attention, one file per way; `lab.learners.decoder_shape` has their
table. No way knows what a token stands for."""
