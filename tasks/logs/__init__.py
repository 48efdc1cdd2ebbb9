"""Logs of real users as streams of interactions: reading, splitting, counting. Nothing of a test is used in training,
and no model is known here."""
