"""Positions have learned vectors: what do prompts of many targets cost then, and which remedy helps [DTI]?

The source argues that positions bias answers, absolute and rotary ones (section 4.2). With absolute ones targets of a
packed prompt stand where a sliding window has none, so most of what a decoder learns of positions is of no use there.
"""

from experiments.clicks.dti import drawing
from experiments.clicks.dti.results.schemes import LEARNED

CAPTION = f"Learned positions, in a small world. {drawing.CAPTION}"
NEEDS_POINTS = True
draw = drawing.draw
CLAIMS = LEARNED
