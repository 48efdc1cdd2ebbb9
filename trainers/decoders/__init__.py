"""Sharing of several kinds that train decoders: evaluation, files, sessions. What one kind alone needs belongs to its
folder, and not here."""
