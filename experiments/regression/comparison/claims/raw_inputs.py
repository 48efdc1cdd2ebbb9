"""Judges of what normalised inputs are worth beside raw ones, by the abstract of RAG-GD.

The paper gives no measure. Stability is taken as the steadiness of a training: the smallest ratio of a batch's loss to
that of the next batch. It is near 1 where the loss changes little from step to step, and 0 where it diverges.
Generalisation is taken as the loss on test rows; how far that is above the loss on training rows is a claim of this
lab's.
"""

import functools
import math
from collections.abc import Sequence

from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate
from analysis.figures.evidence import Condition, above, below
from analysis.figures.measures import loss
from analysis.tables.columns import Curves, Diverged, Seeds, Table
from analysis.tables.select import NotMeasured, Row, group_by, numbers, rows_where, seed_rows, table
from experiments.regression.comparison.normalization import MEAN, NAMES, TITLES
from experiments.regression.comparison.results import RAG
from lab.runs.directory import RunDirectory

RAW, NORMALISED = "none", ("zscore", "minmax")
LEARNERS = {"transformer": "Transformer", RAG: "RAG"}


def place(data: str, normalization: str) -> dict[str, str]:
    return {"data": data, "normalization": normalization}


def divergences(directory: RunDirectory, data: str, normalization: str) -> list[Row]:
    """Return the rows of diverged.csv of a point; none where no seed diverged."""
    if not directory.has_table(Table.DIVERGED):
        return []
    try:
        return rows_where(table(directory, Table.DIVERGED), place(data, normalization))
    except NotMeasured:
        return []


def steadiness(directory: RunDirectory, data: str, normalization: str, learner: str) -> Estimate:
    """Return the steadiness of a learner's training: 0 for seeds that diverged.

    Raises:
        NotMeasured: the point was not run, or there are never two batches between its evaluations.
    """
    diverged = divergences(directory, data, normalization)
    by_seed = {row.number(Diverged.SEED): 0.0 for row in diverged}
    try:
        rows = rows_where(table(directory, Table.CURVES), place(data, normalization))
    except NotMeasured:
        if not diverged:
            raise
        rows = []
    for seed, curve in group_by(rows, Curves.SEED).items() if rows else ():
        jumps = [jump for jump in numbers(curve, f"train_jump.{learner}") if not math.isnan(jump)]
        if not jumps:
            raise NotMeasured(f"{TITLES[data]} was evaluated after every batch, so that there are no jumps in between")
        by_seed[seed] = 1 / max(jumps)
    return Estimate(by_seed)


def training_is_steadier(directory: RunDirectory, normalization: str) -> list[Condition]:
    """Compare the steadiness with that on raw inputs, on every data set."""
    return [
        above(
            f"{TITLES[data]}, {who}: steadiness with {NAMES[normalization]} - with raw inputs",
            steadiness(directory, data, normalization, learner) - steadiness(directory, data, RAW, learner),
        )
        for data in TITLES
        for learner, who in LEARNERS.items()
    ]


def losses(directory: RunDirectory, data: str, normalization: str, rows_of: str = "test") -> list[Row]:
    """Return the rows of seeds.csv of a point on the test rows or on the training rows.

    Seeds that diverge on raw inputs are left out, which is in favour of these.

    Raises:
        NotMeasured: the point was not run, or a seed diverged with a normalisation, or every seed with raw inputs.
    """
    diverged = divergences(directory, data, normalization)
    try:
        rows = rows_where(seed_rows(directory), place(data, normalization) | {Seeds.EVALUATION: rows_of})
    except NotMeasured:
        rows = []
    if rows and (normalization == RAW or not diverged):
        return rows
    if not diverged:
        raise NotMeasured(f"there is no row of {TITLES[data]} with data.normalization={normalization}")
    step = min(row.number(Diverged.STEP) for row in diverged)
    raise NotMeasured(
        f"{TITLES[data]}, data.normalization={normalization}: {len(diverged)} of the seeds diverged, the first at step "
        f"{step:g}"
    )


def tests_better(directory: RunDirectory, normalization: str) -> list[Condition]:
    """Compare the test losses with those on raw inputs, on every data set."""
    conditions = []
    for data in TITLES:
        normalised, raw = (losses(directory, data, how) for how in (normalization, RAW))
        conditions += [
            below(
                f"{TITLES[data]}, {who}: test loss with {NAMES[normalization]} - with raw inputs",
                loss(normalised, learner) - loss(raw, learner),
            )
            for learner, who in LEARNERS.items()
        ]
    return conditions


def gap(directory: RunDirectory, data: str, normalization: str, learner: str) -> Estimate:
    """Return the loss on test rows minus that on training rows, at the end of training."""
    test, train = (losses(directory, data, normalization, rows_of) for rows_of in ("test", "train"))
    return loss(test, learner) - loss(train, learner)


def gap_is_smaller(directory: RunDirectory, data: str) -> list[Condition]:
    """Compare the gaps with each normalisation with that on raw inputs, on one data set."""
    return [
        below(
            f"{who}: test loss - training loss, with {NAMES[how]} - with raw inputs",
            gap(directory, data, how, learner) - gap(directory, data, RAW, learner),
        )
        for how in NORMALISED
        for learner, who in LEARNERS.items()
    ]


def better_than_the_mean(directory: RunDirectory, data: str, normalization: str) -> list[Condition]:
    rows = losses(directory, data, normalization)
    words = f"{TITLES[data]}, {NAMES.get(normalization, 'raw inputs')}: loss of %s / of predicting the mean"
    return [below(words % who, loss(rows, learner) / loss(rows, MEAN), 1.0) for learner, who in LEARNERS.items()]


def learned(data: Sequence[str], normalizations: Sequence[str]) -> tuple[Control, ...]:
    """Return the controls that the Transformer and RAG have learned these tables under these normalisations.

    That their losses are flat at the end is not asked for: runs are compared after the same number of steps. Claims on
    losses of test rows must not ask each seed by itself, as the control looks at these losses, too.
    """
    words = "both have learned more of the table than the mean of its target"
    return tuple(
        Control(words, functools.partial(better_than_the_mean, data=one, normalization=how))
        for one in data
        for how in normalizations
    )
