"""Quantities of figures 4 and 6 of RAG-GD, by data set and normalisation of the inputs, and the controls of its claims.

A sensitivity is a derivative by an input, so its unit, and the angle between two of them, depend on the normalisation.
Claims that compare normalisations by sensitivities are therefore judged twice: in each run's own inputs, as the paper
does, and in z-scored inputs. What a normalisation does to the retrieval and to a table's columns is a property of the
table, which no training decides.
"""

import dataclasses
import itertools
from collections.abc import Callable, Sequence

from analysis.figures.cited import Cited
from analysis.figures.claim import Claim
from analysis.figures.controls import Control, flat
from analysis.figures.estimates import Estimate, chosen_on_others, exact, known, on_seeds
from analysis.metrics.columns import Metric
from analysis.results.column import Choice, Column
from analysis.results.declared import claim
from analysis.results.quantity import Bounds, Every, Numbers, Quantity
from analysis.tables.columns import Curves
from analysis.tables.select import NotMeasured, Row, group_by, numbers, rows_where, table
from experiments.regression.comparison import results
from lab.runs.directory import RunDirectory
from tasks.datasets.columns import Inputs, Retrieved

TITLES = {"bike": "Bike", "california": "California", "calories": "Calories", "wine": "Wine"}
NAMES = {"zscore": "z-score", "minmax": "min-max", "rank": "rank", "tanh": "tanh"}  # of the curves in figures
OTHERS = ("rank", "tanh", "zscore")  # than min-max
MEAN = "mean"  # the learner that predicts the mean of the target
KEPT_LEARNERS = (results.TRAINED, results.RAG, "fitted_rag", MEAN)  # whose curves and clusters of test rows are kept
TENTH = 0.1
HIGHLY_SKEWED = 1.0  # M. G. Bulmer, Principles of Statistics, 1979
NARROW = 0.2  # of the interval [0, 1]
IN_TRAINING = Choice("in training", lambda values: [value for value in values if value])  # without step 0
SECOND_HALF = Choice("in the second half", lambda values: [value for value in values if value >= values[-1] / 2])


def controls(data: str, normalizations: Sequence[str]) -> tuple[Control, ...]:
    """Return the controls that both sides have learned the table: the Transformer, and descent on learned features.

    Of the Transformer the training loss must be flat, as a few test rows of California and Wine steer its test loss.
    RAG's test loss is steady, and its training loss is not: it has a batch that is far above the others.
    """
    changed = "28 November 2026: the Transformer's training loss is to be flat, not its test loss"
    return tuple(
        control
        for name in normalizations
        for control in (
            has_learned(data, name),
            dataclasses.replace(flat("train_loss.transformer", data=data, normalization=name), changed=changed),
            flat(f"loss.{results.RAG}", data=data, normalization=name),
        )
    )


def has_learned(data: str, normalization: str) -> Control:
    """Return the control that the losses of both are below that of predicting the mean."""
    losses = results.loss.where(data=data, normalization=normalization)
    bounds = results.for_each((results.TRAINED, results.RAG), lambda learner: losses[learner] / losses[MEAN] < 1.0)
    return Control("both have learned more of the table than the mean of its target", bounds)


def claim_about(
    data: str,
    statement: str,
    source: Cited,
    bounds: Bounds | Every,
    remark: str = "",
    normalizations: Sequence[str] = tuple(NAMES),
) -> Claim:
    """Return a claim for which the points of one data set are enough.

    Args:
        data: the data set; its title comes before the statement.
        normalizations: those whose runs are judged, and so controlled; () for a claim about the table itself.
    """
    learned = controls(data, normalizations)
    return claim(f"{TITLES[data]}: {statement}", source, bounds, remark, points=f"data={data}", controls=learned)


def aligned(column: Column, data: str, normalization: str) -> Quantity:
    """Return a metric of the trained Transformer's alignment with RAG, at the end."""
    return column.where(data=data, normalization=normalization)[results.RAG]


def beside(column: Column, data: str, other: str) -> Quantity:
    """Return a metric with min-max less that with another normalisation."""
    return aligned(column, data, "minmax") - aligned(column, data, other)


def share_of_mean(data: str, normalization: str) -> Quantity:
    """Return the trained Transformer's loss minus RAG's, as a share of the loss of predicting the mean."""
    whole = results.loss.where(data=data, normalization=normalization)[MEAN]
    return aligned(results.loss_difference, data, normalization) / whole


def distance(data: str, normalization: str) -> Quantity:
    """Return the absolute difference of the losses of the trained Transformer and RAG."""
    return aligned(results.loss_difference, data, normalization).map("|{}|", abs)


def _course(metric: Metric, data: str, normalization: str, steps: Choice) -> Quantity:
    """Return a metric beside RAG at each evaluation in training."""
    return (
        results.in_training(metric, results.RAG)
        .where(data=data, normalization=normalization, step=steps)
        .along(Curves.STEP)
    )


def from_the_best(by_step: Numbers, best: Callable) -> Estimate:
    """Return how far the last value is from that at the best step, on other seeds than those that choose this step.

    Args:
        best: max or min.

    Raises:
        NotMeasured: there are fewer than three steps or seeds.
    """
    if len(by_step) < 3:
        raise NotMeasured("there were fewer than three evaluations in training")
    step, others = chosen_on_others(by_step, best)
    return on_seeds([*by_step.values()][-1] - by_step[step], others)


def at_end(metric: Metric, data: str, label: str, best: Callable) -> Quantity:
    """Return a metric with min-max at the end of training less its best one in training (`from_the_best`)."""
    course = _course(metric, data, "minmax", IN_TRAINING)
    return Quantity(label, "", lambda directory: {"": from_the_best(course.numbers(directory), best)})


def roughness(data: str, normalization: str) -> Quantity:
    """Return the mean |change| of the prediction difference between evaluations in the second half of training,
    relative to the mean of that half."""

    def of_one_seed(*values: float) -> float:
        if len(values) < 2:
            raise NotMeasured(f"{data} was evaluated fewer than two times in the second half of training")
        changes = [abs(b - a) for a, b in itertools.pairwise(values)]
        return sum(changes) / len(changes) / (sum(values) / len(values))

    course = _course(Metric.PREDICTION_L2, data, normalization, SECOND_HALF)
    return course.over(of_one_seed, "relative change between evaluations")


def skewed(data: str, label: str, number: Callable[[Row], float], named: Sequence[str] = ()) -> Quantity:
    """Return a number of each highly skewed column under min-max, and of those that the source names."""

    def of_columns(directory: RunDirectory) -> Numbers:
        rows = rows_where(table(directory, results.OwnTable.INPUTS), {"data": data, "normalization": "minmax"})
        chosen = [row for row in rows if row.number(Inputs.SKEWNESS) > HIGHLY_SKEWED or row[Inputs.COLUMN] in named]
        if not chosen:
            raise NotMeasured(f"no column of {data} is highly skewed")
        return {row.text(Inputs.COLUMN): exact(number(row)) for row in chosen}

    also = f" and {' and '.join(named)}" if named else ""
    return Quantity(label, "", of_columns, f"on every column with a skewness above {HIGHLY_SKEWED:g}{also},")


def gini(values: Sequence[float]) -> float:
    """Return the Gini coefficient of numbers that are not negative: 0 if all are equal, 1 - 1/n if one is not 0.

    It is half the mean absolute difference of two of them, drawn with replacement, over their mean (C. Gini,
    Variabilita e mutabilita, 1912); here by their ranks.

    Raises:
        ZeroDivisionError: all numbers are 0.
    """
    ordered, count = sorted(values), len(values)
    weighted = sum((2 * rank - count - 1) * value for rank, value in enumerate(ordered, start=1))
    return weighted / (count * sum(ordered))


def _unevenness(rows: list[Row], name: str) -> Estimate:
    """Return the Gini coefficient of the sensitivities to the columns, which stand for the weights of the columns:
    weights behind an MLP belong to no single column."""
    return Estimate({seed: gini(numbers(each, name)) for seed, each in group_by(rows, results.Features.SEED).items()})


def _gini_of(name: results.Features, inputs: str) -> Column:
    return Column(
        results.OwnTable.FEATURES,
        name,
        f"Gini coefficient of the sensitivities by {inputs}",
        "How unevenly the Transformer uses the columns of the table.",
        results.Features.LEARNER,
        estimate_of=_unevenness,
    )


def is_more_uneven(column: Column, data: str) -> Bounds:
    """Return the bound of a Gini coefficient that is larger with min-max than with z-score."""
    minmax, zscore = (column.where(data=data, normalization=how)[results.TRAINED] for how in ("minmax", "zscore"))
    return minmax - zscore > 0


unevenness = _gini_of(results.Features.SENSITIVITY, "own inputs")
unevenness_z = _gini_of(results.Features.SENSITIVITY_Z, "z-scored inputs")
retrieved_again = Column(
    results.OwnTable.RETRIEVAL,
    Retrieved.KEPT,
    "share of documents kept",
    "Share of a test row's documents that are retrieved again after noise on its inputs.",
    "normalization",
    estimate_of=lambda rows, name: known(rows[0].number(name), rows[0].number(Retrieved.STDERR)),
)
most_frequent = Column(
    results.OwnTable.RETRIEVAL,
    Retrieved.MOST_FREQUENT,
    "share of the ten most frequent",
    "Share of the ten most frequent documents in all that are retrieved.",
    "normalization",
    worst=max,
)
