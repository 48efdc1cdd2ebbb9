"""Judges of claims about figures 4 and 6 of RAG-GD.

The figures compare the trained Transformer with gradient descent on learned features ("RAG"), under four normalisations
of the inputs. Sensitivities are gradients with respect to the inputs, so their units depend on the normalisation.
Claims that compare normalisations by sensitivities are therefore judged twice: in each run's own inputs, as the paper
does, and in z-scored inputs.
"""

from analysis.figures.estimates import Estimate, combine, estimate
from analysis.figures.evidence import Condition, above, below, within
from analysis.figures.measures import loss
from analysis.metrics.columns import Metric
from analysis.tables.columns import Seeds
from analysis.tables.select import NotMeasured, Row, group_by, rows_where, seed_rows
from experiments.regression.comparison.results import RAG
from lab.runs.directory import RunDirectory

NAMES = {"zscore": "z-score", "minmax": "min-max", "rank": "rank", "tanh": "tanh"}  # those of the figures
TENTH = 0.1
MEAN = "mean"  # the learner that predicts the mean of the target


def final(directory: RunDirectory, data: str) -> dict[str, list[Row]]:
    """Return {normalisation: the rows of a data set in seeds.csv on the test episodes}.

    Raises:
        NotMeasured: the table lacks the data set or one of the normalisations.
    """
    rows = rows_where(seed_rows(directory), {"data": data, Seeds.EVALUATION: "test"})
    groups = group_by(rows, "normalization")
    if missing := set(NAMES) - set(groups):
        raise NotMeasured(f"{data} lacks {', '.join(sorted(missing))}")
    return {name: groups[name] for name in groups if name in NAMES}


def minmax_and_others(directory: RunDirectory, data: str) -> tuple[list[Row], dict[str, list[Row]]]:
    """Return the rows with min-max, and {another normalisation in words: its rows}. Raises as `final`."""
    runs = final(directory, data)
    return runs["minmax"], {NAMES[name]: rows for name, rows in runs.items() if name != "minmax"}


def metric(rows: list[Row], name: str) -> Estimate:
    """Return a metric of the trained Transformer's alignment with RAG."""
    return estimate(rows_where(rows, {Seeds.LEARNER: RAG}), name)


def share_of_mean(rows: list[Row]) -> Estimate:
    """Return the trained Transformer's loss minus RAG's, as a share of the loss of predicting the mean."""
    return metric(rows, Metric.LOSS_DIFFERENCE) / loss(rows, MEAN)


def distance(rows: list[Row]) -> Estimate:
    """Return the absolute difference of the losses of the trained Transformer and RAG."""
    return combine(lambda value: abs(value), metric(rows, Metric.LOSS_DIFFERENCE))


def better_than_the_mean(directory: RunDirectory, data: str, normalization: str) -> list[Condition]:
    """Judge the control that the trained Transformer and RAG have learned something, on the test rows."""
    rows = final(directory, data)[normalization]
    words = f"{NAMES[normalization]}: loss of %s / of predicting the mean"
    return [
        below(words % who, loss(rows, learner) / loss(rows, MEAN), 1.0)
        for learner, who in (("transformer", "the Transformer"), (RAG, "RAG"))
    ]


def performs_like_rag(directory: RunDirectory, data: str) -> list[Condition]:
    rows = final(directory, data)["minmax"]
    return [within("min-max: loss difference / loss of the mean", share_of_mean(rows), TENTH)]


def minmax_is_closest(directory: RunDirectory, data: str) -> list[Condition]:
    minmax, others = minmax_and_others(directory, data)
    conditions = []
    for name, rows in others.items():
        cosine = metric(minmax, Metric.COSINE) - metric(rows, Metric.COSINE)
        conditions.append(above(f"cosine: min-max - {name}", cosine))
        conditions.append(above(f"|loss difference|: {name} - min-max", distance(rows) - distance(minmax)))
    return conditions


def zscore_is_less_effective(directory: RunDirectory, data: str) -> list[Condition]:
    zscore, minmax = (final(directory, data)[name] for name in ("zscore", "minmax"))
    return [
        above("|loss difference|: z-score - min-max", distance(zscore) - distance(minmax)),
        above(
            "prediction difference: z-score - min-max",
            metric(zscore, Metric.PREDICTION_L2) - metric(minmax, Metric.PREDICTION_L2),
        ),
    ]


def cosine_is_lowest(directory: RunDirectory, data: str) -> list[Condition]:
    minmax, others = minmax_and_others(directory, data)
    return [
        below(f"cosine: min-max - {name}", metric(minmax, Metric.COSINE) - metric(rows, Metric.COSINE))
        for name, rows in others.items()
    ]


def minmax_is_worst(directory: RunDirectory, data: str, coordinates: str = "") -> list[Condition]:
    """coordinates: "" for each run's own inputs, "_z" for z-scored ones."""
    minmax, others = minmax_and_others(directory, data)
    conditions = []
    for name, rows in others.items():
        cosine, difference = (
            metric(minmax, f"sensitivity_{key}{coordinates}") - metric(rows, f"sensitivity_{key}{coordinates}")
            for key in ("cosine", "l2")
        )
        conditions.append(below(f"cosine: min-max - {name}", cosine))
        conditions.append(above(f"model difference: min-max - {name}", difference))
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
    minmax, others = minmax_and_others(directory, data)
    return [
        above(
            f"prediction difference: min-max - {name}",
            metric(minmax, Metric.PREDICTION_L2) - metric(rows, Metric.PREDICTION_L2),
        )
        for name, rows in others.items()
    ]


def equivalence(directory: RunDirectory, data: str) -> list[Condition]:
    conditions = []
    for name, rows in final(directory, data).items():
        conditions.append(above(f"cosine, {NAMES[name]}", metric(rows, Metric.COSINE), 0.95))
        conditions.append(within(f"loss difference / loss of the mean, {NAMES[name]}", share_of_mean(rows), TENTH))
    return conditions
