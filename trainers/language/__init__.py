"""Prompts and readers of language models that several kinds share. What one kind alone needs belongs to its folder, and
not here."""
