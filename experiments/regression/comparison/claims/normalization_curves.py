"""Judges of claims about the course of training in figures 4 and 6 of RAG-GD."""

import itertools
from collections.abc import Callable

from analysis.figures.estimates import Estimate, chosen_on_others, combine, estimate, on_seeds
from analysis.figures.evidence import Condition, above, below
from analysis.metrics.columns import Metric
from analysis.tables.columns import Curves, Table
from analysis.tables.select import NotMeasured, group_by, rows_where, table, text
from experiments.regression.comparison.claims.normalization_judges import NAMES
from experiments.regression.comparison.results import RAG
from lab.runs.directory import RunDirectory


def curve(directory: RunDirectory, data: str, normalization: str, name: str) -> dict[float, Estimate]:
    """Return {step: a metric of the trained Transformer's alignment with RAG}, without the evaluation at step 0."""
    rows = rows_where(table(directory, Table.CURVES), {"data": data, "normalization": normalization})
    by_step = {step: estimate(group, f"{RAG}.{name}") for step, group in group_by(rows, Curves.STEP).items() if step}
    if len(by_step) < 3:
        raise NotMeasured(f"{data} was evaluated fewer than three times in training")
    return by_step


def from_the_best(by_step: dict[float, Estimate], best: Callable) -> Estimate:
    """Return how far the last value is from that at the best step, on other seeds than those that choose this step.

    Args:
        best: max or min.
    """
    step, others = chosen_on_others(by_step, best)
    return on_seeds(by_step[max(by_step)] - by_step[step], others)


def worsens_in_training(directory: RunDirectory, data: str) -> list[Condition]:
    cosines, differences = (curve(directory, data, "minmax", f"sensitivity_{key}") for key in ("cosine", "l2"))
    last = f"at step {text(max(cosines))}"
    return [
        below(f"cosine {last} - its highest", from_the_best(cosines, max)),
        above(f"model difference {last} - its smallest", from_the_best(differences, min)),
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
