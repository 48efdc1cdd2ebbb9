"""A trained layer that is applied more often than in training: `python run.py experiment=more_steps`. The layer comes
from a run of the kind `comparison`, and none is trained here."""
