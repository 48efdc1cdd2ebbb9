"""Prompts of many targets where a click depends on an item far back: a window tells of few interactions [DTI].

Of the n interactions of a window only n - lag are seen with the item that each depends on, so what is older is worth
about twice as much as in the world of the other experiments.
"""

from experiments.clicks.dti.figures import dti_long
from experiments.clicks.dti.results.schemes import FAR

CAPTION = f"A click depends on the item 6 interactions before. {dti_long.CAPTION}"
NEEDS_POINTS = True
draw = dti_long.draw
CLAIMS = FAR
