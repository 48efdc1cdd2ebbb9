"""Judges of claims about figures 4 and 6 of RAG-GD.

The figures compare the trained Transformer with gradient descent on learned features ("RAG"), under four normalisations
of the inputs. Sensitivities are gradients with respect to the inputs, so their units depend on the normalisation.
Claims that compare normalisations by sensitivities are therefore judged twice: in each run's own inputs, as the paper
does, and in z-scored inputs.
"""

import itertools

from analysis.figures.evidence import Condition, Estimate, above, below, combine, estimate, exact, within
from analysis.metrics.columns import Metric
from analysis.tables.columns import Curves, Seeds, Table
from analysis.tables.select import NotMeasured, Row, column, group_by, numbers, rows_where, table, text
from experiments.comparison.columns import OwnTable
from experiments.comparison.drawing.by_normalization import RAG
from lab.runs.directory import RunDirectory
from tasks.datasets.columns import Inputs
from tasks.datasets.settings import Normalization

NAMES = {"zscore": "z-score", "minmax": "min-max", "rank": "rank", "tanh": "tanh"}
TENTH = 0.1


def final(directory: RunDirectory, data: str) -> dict[str, list[Row]]:
    """Return {normalisation: the rows of a data set in seeds.csv on the test episodes}.

    Raises:
        NotMeasured: the table lacks the data set or one of the normalisations.
    """
    rows = rows_where(table(directory, Table.SEEDS), {"data": data, Seeds.EVALUATION: "test"})
    groups = group_by(rows, "normalization")
    if missing := {how.name for how in Normalization} - set(groups):
        raise NotMeasured(f"{data} lacks {', '.join(sorted(missing))}")
    return groups


def metric(rows: list[Row], name: str) -> Estimate:
    """Return a metric of the trained Transformer's alignment with RAG."""
    return estimate(rows_where(rows, {Seeds.LEARNER: RAG}), name)


def share_of_mean(rows: list[Row]) -> Estimate:
    """Return the trained Transformer's loss minus RAG's, as a share of the loss of predicting the mean."""
    return metric(rows, Metric.LOSS_DIFFERENCE) / estimate(rows_where(rows, {Seeds.LEARNER: "mean"}), Seeds.LOSS)


def distance(rows: list[Row]) -> Estimate:
    """Return the absolute difference of the losses of the trained Transformer and RAG."""
    return combine(
        lambda value: abs(value), difference := metric(rows, Metric.LOSS_DIFFERENCE), common=difference.common
    )


def performs_like_rag(directory: RunDirectory, data: str) -> list[Condition]:
    runs = final(directory, data)
    conditions = [within("min-max: loss difference / loss of the mean", share_of_mean(runs["minmax"]), TENTH)]
    return conditions + [
        above(f"|loss difference|: {NAMES[name]} - min-max", distance(rows) - distance(runs["minmax"]))
        for name, rows in runs.items()
        if name != "minmax"
    ]


def points_like_rag(directory: RunDirectory, data: str) -> list[Condition]:
    runs = final(directory, data)
    cosines = {name: metric(rows, Metric.COSINE) for name, rows in runs.items()}
    return [above("cosine, min-max", cosines["minmax"], 0.99)] + [
        above(f"cosine: min-max - {NAMES[name]}", cosines["minmax"] - cosine)
        for name, cosine in cosines.items()
        if name != "minmax"
    ]


def zscore_is_less_effective(directory: RunDirectory, data: str) -> list[Condition]:
    zscore, minmax = (final(directory, data)[name] for name in ("zscore", "minmax"))
    return [
        above("|loss difference|: z-score - min-max", distance(zscore) - distance(minmax)),
        above(
            "prediction difference: z-score - min-max",
            metric(zscore, Metric.PREDICTION_L2) - metric(minmax, Metric.PREDICTION_L2),
        ),
    ]


def minmax_is_worst(directory: RunDirectory, data: str, coordinates: str = "") -> list[Condition]:
    """coordinates: "" for each run's own inputs, "_z" for z-scored ones."""
    runs, conditions = final(directory, data), []
    for name in (name for name in runs if name != "minmax"):
        one, other = (
            {key: metric(runs[how], f"sensitivity_{key}{coordinates}") for key in ("cosine", "l2")}
            for how in ("minmax", name)
        )
        conditions.append(below(f"cosine: min-max - {NAMES[name]}", one["cosine"] - other["cosine"]))
        conditions.append(above(f"model difference: min-max - {NAMES[name]}", one["l2"] - other["l2"]))
    return conditions


def minmax_aligns_better_in_z(directory: RunDirectory, data: str) -> list[Condition]:
    minmax, zscore = (final(directory, data)[name] for name in ("minmax", "zscore"))
    cosine, difference = (
        metric(minmax, f"sensitivity_{key}_z") - metric(zscore, f"sensitivity_{key}_z") for key in ("cosine", "l2")
    )
    return [
        above("cosine: min-max - z-score", cosine),
        below("model difference: min-max - z-score", difference),
    ]


def predictions_are_farthest(directory: RunDirectory, data: str) -> list[Condition]:
    differences = {name: metric(rows, Metric.PREDICTION_L2) for name, rows in final(directory, data).items()}
    return [
        above(f"prediction difference: min-max - {NAMES[name]}", differences["minmax"] - other)
        for name, other in differences.items()
        if name != "minmax"
    ]


def curve(directory: RunDirectory, data: str, normalization: str, name: str) -> dict[float, Estimate]:
    """Return {step: a metric of the trained Transformer's alignment with RAG}, without the evaluation at step 0."""
    rows = rows_where(table(directory, Table.CURVES), {"data": data, "normalization": normalization})
    by_step = {step: estimate(group, f"{RAG}.{name}") for step, group in group_by(rows, Curves.STEP).items() if step}
    if len(by_step) < 3:
        raise NotMeasured(f"{data} was evaluated fewer than three times in training")
    return by_step


def worsens_in_training(directory: RunDirectory, data: str) -> list[Condition]:
    cosines, differences = (curve(directory, data, "minmax", f"sensitivity_{key}") for key in ("cosine", "l2"))
    highest = max(cosines, key=lambda step: cosines[step].mean)
    lowest = min(differences, key=lambda step: differences[step].mean)
    last = max(cosines)
    return [
        below(f"cosine at step {text(last)} - at step {text(highest)}, its highest", cosines[last] - cosines[highest]),
        above(
            f"model difference at step {text(last)} - at step {text(lowest)}, its smallest",
            differences[last] - differences[lowest],
        ),
    ]


def predictions_fluctuate(directory: RunDirectory, data: str) -> list[Condition]:
    """Compare mean |change| between evaluations in the second half of training, relative to the mean of that half."""
    rough = {name: _roughness(curve(directory, data, name, Metric.PREDICTION_L2)) for name in NAMES}
    return [
        above(f"relative change between evaluations: min-max - {NAMES[name]}", rough["minmax"] - other)
        for name, other in rough.items()
        if name != "minmax"
    ]


def _roughness(differences: dict[float, Estimate]) -> Estimate:
    half = [each for step, each in differences.items() if step >= max(differences) / 2]

    def of_one_seed(*values: float) -> float:
        changes = [abs(b - a) for a, b in itertools.pairwise(values)]
        return sum(changes) / len(changes) / (sum(values) / len(values))

    return combine(of_one_seed, *half)


def equivalence(directory: RunDirectory, data: str) -> list[Condition]:
    conditions = []
    for name, rows in final(directory, data).items():
        conditions.append(above(f"cosine, {NAMES[name]}", metric(rows, Metric.COSINE), 0.95))
        conditions.append(within(f"loss difference / loss of the mean, {NAMES[name]}", share_of_mean(rows), TENTH))
    return conditions


def samples_are_compressed(directory: RunDirectory, data: str) -> list[Condition]:
    """Use the width of the interval that holds the middle 90% of the training rows, a property of the table."""
    rows = rows_where(table(directory, OwnTable.INPUTS), {"data": data, "normalization": "minmax"})
    widths = numbers(rows, column(rows, Inputs.MIDDLE_90))
    narrow = sum(width < 0.2 for width in widths)
    return [above(f"share of the {len(widths)} columns with a width below 0.2", exact(narrow / len(widths)), 0.5)]


def without_normalization(directory: RunDirectory) -> list[Condition]:
    """Judge nothing: the claim needs a run that the lab does not have.

    Raises:
        NotMeasured: always, so that the claim is shown with the reason.
    """
    raise NotMeasured("the lab normalises the inputs of every table: raw ones differ by factors of thousands")
