"""The parts that several kinds share which train decoders: evaluation, prefixes, sessions. Whatever one kind alone
needs belongs to its folder, and not here."""
