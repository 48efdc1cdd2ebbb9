"""The results of a comparison of learners: its columns and headline numbers; what several figures' claims are made of.

Claims stand beside the figure that shows their numbers, in `figures`.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TypeVar

from analysis.figures.measures import GD
from analysis.metrics.columns import Metric
from analysis.results.column import Column, nearest
from analysis.results.quantity import Bounds, Every, Quantity
from analysis.tables.columns import Curves, Seeds, Table
from experiments.regression.comparison.alike import alike, beside

TRAINED = "transformer"
RAG = "learned_descent"  # gradient descent on learned features, the reading of the paper's RAG that is judged
DOCUMENTS = "num_documents"
QUARTERS = (0.25, 0.5, 1.0)  # of the training, at which claims on curves are judged
Value = TypeVar("Value")


def _at_end(name: str, label: str, sentence: str) -> Column:
    """Return a column of seeds.csv, on the test episodes at the end of training."""
    return Column(Table.SEEDS, name, label, sentence, Seeds.LEARNER, implied=((Seeds.EVALUATION, "test"),))


loss = _at_end(Seeds.LOSS, "loss", "Mean loss of the learner on the test episodes.")
prediction = _at_end(
    Metric.PREDICTION_L2, "prediction difference", "Mean L2 distance of the predictions of two learners."
)
cosine = _at_end(Metric.COSINE, "cosine of sensitivities", "Mean cosine of the input gradients of two learners.")
sensitivity = _at_end(
    Metric.SENSITIVITY_L2, "sensitivity difference", "Mean L2 distance of the input gradients of two learners."
)
cosine_z = _at_end(
    Metric.COSINE_Z, "cosine of sensitivities, z-scored inputs", "Mean cosine of the gradients by z-scored inputs."
)
sensitivity_z = _at_end(
    Metric.SENSITIVITY_L2_Z,
    "sensitivity difference, z-scored inputs",
    "Mean L2 distance of the gradients by z-scored inputs.",
)
loss_difference = _at_end(
    Metric.LOSS_DIFFERENCE, "loss difference", "Mean loss of the one minus that of the other, same episodes."
)
eta = Column("", "eta", "eta of gradient descent", "Rate of gradient descent, the best of a line search.")
training_loss = Column(Table.CURVES, Seeds.LOSS, loss.label, loss.sentence)
HEADLINES = (loss, prediction, cosine, sensitivity, cosine_z, sensitivity_z, loss_difference, eta)
ANSWER = (
    "{alike}",
    "cosine of sensitivities {reference.sensitivity_cosine}",
    "predictions {reference.prediction_l2} apart, with shuffled labels {shuffled.prediction_l2}",
    "difference of losses {reference.loss_difference}",
    "from that of the best step in theory {oracle.loss_difference}",
    "{beside}",
)
VERBS = {"alike": alike, "beside": beside}


def excess(learner: str = TRAINED, **where: str) -> Quantity:
    """Return a learner's loss over gradient descent's, minus 1."""
    chosen = loss.where(**where)
    return chosen[learner] / chosen[GD] - 1


def above_other(part: str, other: str) -> Quantity:
    """Return a part's loss over another part's, minus 1; paired, on the same test episodes."""
    return loss.where(part=part)[TRAINED] / loss.where(part=other)[TRAINED] - 1


def over_untrained(metric: Metric, reference: str, part: str) -> Quantity:
    """Return a metric of the trained Transformer beside a reference at the end, over that before training."""
    at_each = in_training(metric, reference).where(part=part).along(Curves.STEP)
    return at_each.last() / at_each.first()


def in_training(metric: Metric, reference: str, key: str = "") -> Column:
    """Return the column of curves.csv of a metric of the trained Transformer beside a reference."""
    column = next(each for each in HEADLINES if each.name == metric)
    label = f"{column.label} from {reference.replace('_', ' ')}"
    return Column(Table.CURVES, f"{reference}.{metric}", label, column.sentence, key)


def grows_with_documents(reference: str, part: str) -> Bounds | Every:
    """Return the bounds of a distance of predictions that grows with every further number of documents."""

    def at(share: float) -> Bounds:
        distance = in_training(Metric.PREDICTION_L2, reference).where(part=part, step=nearest(share))
        return distance.along(DOCUMENTS).steps() > 0

    return for_each(QUARTERS, at)


def for_each(values: Sequence[Value], bound: Callable[[Value], Bounds | Every]) -> Bounds | Every:
    """Return the bounds of all values, such as of several parts."""
    return functools.reduce(operator.and_, map(bound, values))


class OwnTable(StrEnum):
    ALONG = "along"
    ETAS = "etas"
    FEATURES = "features"
    INPUTS = "inputs"  # columns: `tasks.datasets.columns`
    RETRIEVAL = "retrieval"  # likewise


class Along(StrEnum):
    """Columns of along.csv: one row per prompt, learner and input, for tasks of one input."""

    PROMPT = "prompt"  # from 0
    LEARNER = "learner"  # also the function itself, and the examples of it
    X = "x"  # the input
    ANSWER = "answer"  # the learner's to it


class Features(StrEnum):
    """Columns of features.csv, of tables: one row per seed, trained learner and input column, at the end of training.

    A sensitivity is the mean over the test episodes of the absolute derivative of the prediction by that input.
    """

    SEED = "seed"
    LEARNER = "learner"
    COLUMN = "column"  # the name of the input
    SENSITIVITY = "sensitivity"  # by the input as the run normalises it
    SENSITIVITY_Z = "sensitivity_z"  # by the z-scored input


class Etas(StrEnum):
    """Columns of etas.csv, of model.layer=momentum: one row per seed, block and head."""

    SEED = "seed"
    BLOCK = "block"
    HEAD = "head"
    ETA = "eta"  # the trained rate of its moving average
