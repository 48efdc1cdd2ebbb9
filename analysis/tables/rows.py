"""Rows of tables and entries of `summary.json`, made of statistics over episodes that have an axis over the population.

A statistic is {"mean", "stderr", "common", "left_out": (P,)}: what `analysis.metrics.alignment.mean_and_error` returns,
for each of P seeds.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from analysis.metrics.columns import Metric
from analysis.tables.columns import Alignment, Blocks, Clusters, Curves, Layers, Learners, Seeds, Shift, Statistic

if TYPE_CHECKING:
    from analysis.metrics.theory import Oracle  # imports JAX, which reports do without

T = TypeVar("T")


def number(values_P: ArrayLike) -> float:
    """Return the mean over the population as a plain float."""
    return float(np.mean(np.asarray(values_P, np.float64)))


def statistics(values: Mapping[str, ArrayLike]) -> dict[str, float]:
    """Return the mean over the population, its standard error, and for several seeds their standard deviation `spread`.

    For a single seed the error is over its episodes. Each seed has test episodes of its own, so for several seeds it is
    spread / sqrt(seeds), which includes the effects of training and of the choice of episodes. It is combined in
    quadrature with the error that all seeds have in common (for a table of data, the error from its test rows).
    """
    seeds = np.size(values["mean"])
    if seeds == 1:
        return {Statistic.MEAN: number(values["mean"]), Statistic.STDERR: number(values["stderr"])}
    with np.errstate(invalid="ignore"):  # an infinite loss has no spread
        spread = float(np.std(np.asarray(values["mean"], np.float64), ddof=1))
    stderr = float(np.hypot(spread / np.sqrt(seeds), number(values["common"])))
    return {Statistic.MEAN: number(values["mean"]), Statistic.STDERR: stderr, Statistic.SPREAD: spread}


def left_out(values: Mapping[str, ArrayLike]) -> dict[str, int]:
    """Return a column with the number of episodes, of all seeds, without a value."""
    return {Statistic.LEFT_OUT: int(np.sum(np.asarray(values["left_out"])))}


def subject_first(by_learner: Mapping[str, T]) -> list[tuple[str, T]]:
    """Return the items sorted by name, with the trained Transformer in front."""
    return sorted(by_learner.items(), key=lambda item: (item[0] != "transformer", item[0]))


def curve_rows(step: int, seeds: Sequence[int], recent: Mapping[str, np.ndarray], results: dict) -> list[dict]:
    """Return one row of curves.csv per seed.

    Args:
        recent: {trained learner: (P, steps)}, its training losses since the last row.
        results: statistics of every learner's loss and alignment at this step.
    """
    return [
        {Curves.STEP: step, Curves.SEED: seed}
        | {f"train_loss.{name}": float(losses[member].mean()) if step else None for name, losses in recent.items()}
        | {f"loss.{name}": float(loss["mean"][member]) for name, loss in subject_first(results["loss"])}
        | {
            f"{name}.{metric}": float(values["mean"][member])
            for name, metrics in results["alignment"].items()
            for metric, values in metrics.items()
        }
        for member, seed in enumerate(seeds)
    ]


def learner_rows(losses: dict) -> list[dict]:
    """Return the rows of learners.csv."""
    return [{Learners.LEARNER: name} | statistics(loss) | left_out(loss) for name, loss in subject_first(losses)]


def seed_rows(seeds: Sequence[int], place: str, results: dict) -> list[dict]:
    """Return the rows of seeds.csv of one evaluation (`place`, "test" or a shift)."""
    return [
        {Seeds.SEED: seed, Seeds.EVALUATION: place, Seeds.LEARNER: name}
        | _of_seed(Seeds.LOSS, loss, member)
        | {
            key: number
            for metric, values in results["alignment"].get(name, {}).items()
            for key, number in _of_seed(metric, values, member).items()
        }
        for name, loss in subject_first(results["loss"])
        for member, seed in enumerate(seeds)
    ]


def cluster_rows(place: str, data: str, results: dict) -> list[dict]:
    """Return the rows of clusters.csv of one evaluation; none for episodes without groups.

    Args:
        place: the evaluation, as in seeds.csv.
        data: the name of the rows, as two evaluations on the same rows share it.
    """
    return [
        {Clusters.EVALUATION: place, Clusters.LEARNER: name, Clusters.TEST_ROWS: data, Clusters.CLUSTER: number}
        | {column: float(np.mean(values["clusters"][:, number])) for column, values in numbers.items()}
        for name, loss in subject_first(results["loss"])
        if "clusters" in loss
        for numbers in [{Seeds.LOSS.value: loss} | results["alignment"].get(name, {})]
        for number in range(np.shape(loss["clusters"])[1])
    ]


def block_rows(losses: dict, alignment: dict) -> list[dict]:
    """Return the rows of blocks.csv of one seed, whose columns are named as in `numbers`; none for tables of data. A
    number without a value has no column."""
    named = {f"loss.{name}": loss for name, loss in subject_first(losses)}
    named |= {f"{name}.{metric}": each for name, metrics in alignment.items() for metric, each in metrics.items()}
    parts = {
        name: values["blocks"][0]
        for name, values in named.items()
        if "blocks" in values and np.isfinite(values["mean"][0])
    }
    count = max(map(len, parts.values()), default=0)
    return [
        {Blocks.BLOCK: block} | {name: float(f"{part[block]:.6g}") for name, part in parts.items()}
        for block in range(count)
    ]


def alignment_rows(alignment: dict) -> list[dict]:
    """Return the rows of alignment.csv."""
    return [
        {Alignment.WITH: name, Alignment.METRIC: metric} | statistics(values) | left_out(values)
        for name, metrics in alignment.items()
        for metric, values in metrics.items()
    ]


def shift_rows(places: Sequence[tuple[str, object]], results: Sequence[dict]) -> list[dict]:
    """Return the rows of shift.csv.

    Args:
        places: (axis, value) of each shift.
        results: the statistics at each shift.
    """
    return [
        {Shift.SHIFT: axis, Shift.VALUE: getattr(value, "name", value), Shift.LEARNER: name}
        | statistics(loss)
        | left_out(loss)
        | {
            f"{metric}{suffix}": number
            for metric, values in shifted["alignment"].get(name, {}).items()
            for suffix, number in suffixed(statistics(values))
        }
        for (axis, value), shifted in zip(places, results, strict=True)
        for name, loss in subject_first(shifted["loss"])
    ]


def _of_seed(name: str, values: dict, member: int) -> dict[str, float]:
    """Return one seed's mean under `name` and, where it is not 0, the error that all seeds have in common."""
    common = float(values["common"][member])
    return {name: float(values["mean"][member])} | ({f"{name}.common": common} if common else {})


def shift_name(place: tuple[str, object]) -> str:
    """Return the name of a shift from its axis and value, as 'alpha=0.5'."""
    axis, value = place
    return f"{axis}={getattr(value, 'name', value)}"


def suffixed(numbers: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return (suffix of the column's name, number) of some statistics: '' for the mean, '.stderr' for its error."""
    return [("" if kind == Statistic.MEAN else f".{kind}", number) for kind, number in numbers.items()]


def layer_rows(by_layer: dict) -> list[dict]:
    """Return the rows of layers.csv."""
    return [
        {Layers.LEARNER: name, Layers.LAYER: layer} | statistics(loss) | left_out(loss)
        for name, layers in subject_first(by_layer)
        for layer, loss in enumerate(layers, start=1)
    ]


def rate(eta_P: np.ndarray, stderr_P: np.ndarray) -> dict[str, float]:
    """Return a line search's mean `eta` and, where its error is known (for one step), `eta_stderr`.

    Each seed has line-search episodes of its own, so the seeds' errors are independent.
    """
    if not np.isfinite(stderr_P).all():
        return {"eta": number(eta_P)}
    error = np.sqrt(np.sum(np.square(stderr_P, dtype=np.float64))) / np.size(stderr_P)
    return {"eta": number(eta_P), "eta_stderr": float(error)}


def summarise(results: dict, rates: dict[str, dict], oracle: "Oracle | None") -> dict:
    """Return the entries of summary.json about a comparison's learners.

    Args:
        results: statistics on the test episodes.
        rates: {learner: `rate`} of the learners whose rate was searched.
        oracle: the best single step in closed form, where it is known.
    """
    learners = {name: {"loss": statistics(loss)} | rates.get(name, {}) for name, loss in subject_first(results["loss"])}
    theory = None
    if oracle is not None:
        theory = {key: number(value) for key, value in dataclasses.asdict(oracle).items()} | {
            "steps": 1,
            # on the same episodes, so the difference has a far smaller error than either loss
            "excess_of_transformer": statistics(results["alignment"]["oracle"][Metric.LOSS_DIFFERENCE]),
        }
    return {"learners": learners, "oracle": theory}


def numbers(learners: dict[str, dict], alignment: dict[str, dict]) -> dict[str, float]:
    """Return a comparison's main numbers by flat names: the losses, gradient descent's eta and the alignments.

    Each is followed by its `.stderr` and, for several seeds, its `.spread`.

    Args:
        learners: the entry of a summary.
        alignment: {other learner: {metric: its statistics}}.
    """
    flat = {}
    for name, learner in learners.items():
        flat |= {f"loss.{name}{suffix}": value for suffix, value in suffixed(learner["loss"])}
        if "eta" in learner and name == "gradient_descent":
            flat["eta"] = learner["eta"]
    for name, metrics in alignment.items():
        for metric, values in metrics.items():
            flat |= {f"{name}.{metric}{suffix}": value for suffix, value in suffixed(statistics(values))}
    return flat
