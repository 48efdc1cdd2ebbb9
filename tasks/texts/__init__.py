"""Labelled texts of the user's: files, templates, data sets by name, sets of demonstrations. No tokens, no JAX, and no
model is known here."""
