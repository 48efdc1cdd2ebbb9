"""Measurements of time in turns, which several kinds share. What is timed is said by the kind, and not here."""
