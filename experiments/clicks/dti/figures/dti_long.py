"""Trained until losses are flat: do prompts of many targets still lose AUC to sliding windows [DTI]?"""

from experiments.clicks.dti import drawing
from experiments.clicks.dti.results.schemes import LONG

CAPTION = drawing.CAPTION
NEEDS_POINTS = True
draw = drawing.draw
CLAIMS = LONG
