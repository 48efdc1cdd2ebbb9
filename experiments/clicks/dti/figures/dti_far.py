"""Prompts of many targets where a click depends on an item far back: a window tells of few interactions [DTI].

Of the n interactions of a window only n - lag are seen with the item that each depends on, so what is older is worth
more than twice as much as in `dti`.
"""

from experiments.clicks.dti import drawing
from experiments.clicks.dti.results.schemes import FAR

CAPTION = f"A click depends on the item 6 interactions before. {drawing.CAPTION}"
NEEDS_POINTS = True
draw = drawing.draw
CLAIMS = FAR
