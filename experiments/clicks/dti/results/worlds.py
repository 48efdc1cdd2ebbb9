"""Claims on prompts of many targets in other worlds.

`FAR`: a click depends on an item far back. Of the n interactions of a window only n - lag are seen with the item that
each depends on, so what is older is worth about twice as much. `OTHERS`: older history is worth less, or order matters.
"""

import functools

from analysis.figures.cited import own, stronger
from analysis.results.declared import claim
from experiments.clicks.dti.results import NEAR, beside, gap, of
from experiments.clicks.dti.results.history import are_flat, of_parts, of_share, use_history
from experiments.clicks.dti.results.schemes import (
    claim_of_leak,
    claim_of_own,
    claim_of_solutions,
    claims_beside_sliding,
    where,
)

# Of what a window tells beyond the item, the item that a click depends on gives .61 without any click, so a decoder has
# to use half of the rest, too.
FAR_SHARE = 0.8
CONTROLS = functools.partial(of_share, FAR_SHARE)
BACK = where("Where a click depends on an item far back")
FAR = (
    *claims_beside_sliding(BACK, stronger, controls=CONTROLS),
    claim_of_own(BACK, CONTROLS),
    claim_of_solutions(BACK, controls=CONTROLS),
    claim_of_leak(BACK, CONTROLS),
    claim(
        BACK("a split window with four layers, whose tokens see that far, is above one with three"),
        own("derived here from the masks: before the last layer tokens have seen 6 interactions back, or 5"),
        beside("deep_split", "split") > 0,
        controls=CONTROLS("deep_split"),
    ),
    claim(
        BACK("a split window with two layers is below DTI- with two layers"),
        own("derived here from the masks: with two layers a token has seen itself alone when [SUM]s see it"),
        beside("shallow_split", "shallow_naive") < -NEAR,
        controls=(use_history(FAR_SHARE, "shallow_naive"), are_flat("shallow_naive", "shallow_split")),
    ),
)
# Where order matters the item before gives half of what a window tells, without any click; a decoder has to use half of
# the rest, too.
ORDER_SHARE = 0.75
OTHERS = (
    claim(
        "The mismatch of training and test grows with the worth of older history.",
        own("derived here from DTI, section 4.1"),
        of(gap, "lasting_naive") - of(gap, "changing_naive") > 0,
        "DTI- where a taste lasts for 50 interactions, and for 5",
        controls=of_parts("lasting_naive", "changing_naive"),
    ),
    claim(
        "Where the order of interactions matters, encoding each by itself costs accuracy.",
        own("derived here from the local mask, with which tokens see their own interaction alone"),
        beside("ordered_local", "ordered_naive") < -NEAR,
        controls=(use_history(ORDER_SHARE, "ordered_naive"), are_flat("ordered_local", "ordered_naive")),
    ),
    claim(
        "Where the order of interactions matters, the split window costs no accuracy beside DTI-.",
        own("derived here from the masks: tokens of the second layer see what came before them"),
        beside("ordered_split", "ordered_naive") > -NEAR,
        controls=of_share(ORDER_SHARE, "ordered_split", "ordered_naive"),
    ),
)
