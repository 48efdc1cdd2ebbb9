"""A decoder of functions of 20 inputs, whose training begins with a plateau, with and without a curriculum."""

import numpy as np

from analysis.figures.cited import own
from analysis.figures.estimates import Estimate
from analysis.figures.prefixes import SUBJECT, relative
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.columns import Curves, Table
from analysis.tables.select import NotMeasured, group_by, numbers, rows_where, table
from experiments.functions.functions.figures import curriculum
from experiments.functions.functions.figures.curriculum import draw as draw
from experiments.functions.functions.results import CONTROLS as CONTROLS
from experiments.functions.functions.results import LEARNED, OPTIMAL
from lab.runs.directory import RunDirectory

CAPTION = curriculum.CAPTION
NEEDS_POINTS = True
BANDS = True
QUARTER = 0.25


def left_at(directory: RunDirectory, part: str) -> Estimate:
    """Return the step at which each seed's loss has come QUARTER of the way from the first one to the optimal one.

    Between two evaluations the loss is taken to be linear. The optimal one is that on the episodes of the first
    evaluation.

    Raises:
        NotMeasured: a seed's has not come so far, or did before the first evaluation.
    """
    rows = rows_where(table(directory, Table.CURVES), {"part": part})
    by_seed = {}
    for seed, curve in group_by(rows, Curves.SEED).items():
        steps, losses = (np.array(numbers(curve, name)) for name in (Curves.STEP, f"loss.{SUBJECT}"))
        bound = losses[0] + QUARTER * (curve[0].number(f"loss.{OPTIMAL}") - losses[0])
        (there,) = np.nonzero(losses <= bound)
        if not there.size:
            raise NotMeasured(f"{part}: seed {seed:g} has not come so far")
        if there[0] <= 1:
            raise NotMeasured(f"{part}: seed {seed:g} comes so far before the first evaluation")
        two = slice(there[0] - 1, there[0] + 1)
        by_seed[float(seed)] = float(np.interp(-bound, -losses[two], steps[two]))
    return Estimate(by_seed)


def shortened(directory: RunDirectory) -> Numbers:
    return {"": relative(left_at(directory, "growing"), left_at(directory, "whole"))}


CLAIMS = (
    claim(
        "With 20 inputs a curriculum shortens the plateau with which training begins.",
        own("derived here from Garg et al. 2022, curriculum"),
        Quantity(
            "steps to a quarter of the way to the optimal loss with the curriculum / without it - 1", "", shortened
        )
        < 0,
        "the loss is that on whole prompts, the way begins at the loss before training, and losses are taken linearly "
        "between two evaluations",
        controls=(LEARNED,),
    ),
)
