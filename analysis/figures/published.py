"""Numbers of the sources that figures draw beside this lab's, with their place and the sizes they were measured at.

A number is here only where the source states it, or where this lab ran the source's own code: `evidence` says which.
Of Garg et al. (2022) there is none: their curves are pictures, and what there is to be reached at their sizes is known
exactly (least squares, ridge regression).
"""

import dataclasses

from analysis.figures.cited import Work

STATED, THEIR_CODE = "stated by the source", "measured here with the source's code"


@dataclasses.dataclass(frozen=True)
class Published:
    """One number, or the two between which it lies.

    work, place: where it stands. what: the number in words. low, high: its bounds, the same for a single number.
    sizes: what was trained. evidence: `STATED` or `THEIR_CODE`.
    """

    work: Work
    place: str
    what: str
    low: float
    high: float
    sizes: str
    evidence: str


_VO23_SIZES = "{} layers, N = d = 10, 5000 steps of 2048"


def _vo23(layers: int, what: str, value: float) -> Published:
    return Published(Work.VO23, "published code", what, value, value, _VO23_SIZES.format(layers), THEIR_CODE)


THRESHOLD = Published(
    Work.RAV23,
    "the task diversity threshold",
    "functions from which on new ones are answered as by ridge regression",
    2.0**14,
    2.0**15,
    "d = 8, 8 layers of width 128, 500,000 steps of 256",
    STATED,
)
LOOPED = {  # layers of VO23's looped linear self-attention: losses at the end
    2: {"transformer": 0.11365, "gradient_descent": 0.15883, "gd_plus_plus": 0.11158},
    5: {"transformer": 0.06756, "gradient_descent": 0.10961, "gd_plus_plus": 0.06539},
}
LOSSES = {
    (layers, learner): _vo23(layers, f"loss of {learner.replace('_', ' ')}", loss)
    for layers, losses in LOOPED.items()
    for learner, loss in losses.items()
}
EVERYTHING = (THRESHOLD, *LOSSES.values())
