"""Tasks of text: reading files, forms of a prompt, choices of examples. No model and no tokens are known here."""
