"""Makes rows of tables of what was measured in episodes.

Queries of one episode depend on one another, so every error is over episodes.
"""

from collections.abc import Callable

import numpy as np

from analysis.metrics.alignment import mean_and_error, mean_over_episodes
from experiments.demonstrations.icl_vs_finetune import results
from experiments.demonstrations.icl_vs_finetune.measure import Measured
from experiments.demonstrations.icl_vs_finetune.results import ARMS, PAIRED

Number = float | np.float64 | np.int64
BY_LAYER = ("sim_aou", "sim_aou_centred", "sim_am", "kendall")


def by_episode(values: np.ndarray) -> np.ndarray:
    """(B,): the mean over the queries, the last axis, and what else is not the episodes'."""
    return np.asarray(np.mean(values, axis=tuple(range(1, values.ndim)), dtype=np.float64))


def accuracy_rows(measured: Measured, rate: float) -> list[dict]:
    """Return one row per learner: accuracy.csv."""
    return [
        {results.LEARNER: name}
        | _where_finite(results.accuracy.name, right)
        | {results.RATE: rate if name in ARMS else None}
        for name, right in measured["right"].items()
    ]


def transfer_rows(measured: Measured) -> list[dict]:
    """Return one row per measure, layer and arm: transfer.csv.

    `rec2ftp` is the share of queries, wrong zero-shot and right after fine-tuning, that are right in context, and its
    nulls are `overall`, P(in context right | zero-shot wrong), and `per_episode`, the same in the episodes of these
    queries. `lift` is the difference of `rec2ftp` from `per_episode` and from fine-tuning on other examples.

    `difference` is that of a measure from its value with another episode's examples, and `rise` that of the similarity
    of attention maps to the fine-tuned model from that to the zero-shot model, which in the first layer is 1 by
    construction; so both have one row per layer.
    """
    right = measured["right"]
    wrong, context = 1 - right["zero_shot"], right["in_context"]
    corrected = {arm: wrong * right[arm] for arm in ARMS}
    sums = {arm: (each * context).sum(axis=1) for arm, each in corrected.items()}
    counts = {arm: each.sum(axis=1) for arm, each in corrected.items()}
    rows = [_ratio("rec2ftp", arm, sums[arm], counts[arm]) for arm in ARMS]
    wrong_B, both_B = wrong.sum(axis=1), (wrong * context).sum(axis=1)
    rows.append(_ratio("rec2ftp", "overall", both_B, wrong_B))
    rate_B = both_B / np.maximum(wrong_B, 1)
    rows.append(_ratio("rec2ftp", "per_episode", rate_B * counts["fine_tuned"], counts["fine_tuned"]))
    own, own_count = sums["fine_tuned"], counts["fine_tuned"]
    nulls = {"per_episode": (rate_B * own_count, own_count), "other": (sums["other"], counts["other"])}
    for name, (null, null_count) in nulls.items():
        value, error = bootstrap(lambda a, b, c, d: a / b - c / d, own, own_count, null, null_count)
        rows.append(_row("lift", name, value, error, count=own_count.sum()))
    for measure in BY_LAYER:
        for arm, values_BxLxQ in measured[measure].items():
            for layer in range(values_BxLxQ.shape[1]):
                rows.append(_mean(measure, arm, values_BxLxQ[:, layer], layer + 1))
    for (measure, name), other in PAIRED.items():  # within an episode
        apart_BxLxQ = measured[measure]["fine_tuned"] - measured[measure][other]
        rows += [_mean(measure, name, apart_BxLxQ[:, layer], layer + 1) for layer in range(apart_BxLxQ.shape[1])]
    rows += [_mean("logits", arm, values) for arm, values in measured["logits"].items()]
    return rows


def rate_rows(by_rate: dict[float, Measured], best: float) -> list[dict]:
    """Return one row per rate of fine-tuning: rates.csv."""
    return [
        {results.RATE: rate, results.CHOSEN: int(rate == best)}
        | _where_finite(results.validated.name, measured["right"]["fine_tuned"])
        | _where_finite(results.of_rate.name, measured["sim_aou"]["fine_tuned"])
        | _where_finite(results.of_rate_centred.name, measured["sim_aou_centred"]["fine_tuned"])
        for rate, measured in by_rate.items()
    ]


def _row(measure: str, arm: str, value: Number, error: Number, layer: int | None = None, count=None) -> dict:
    """Return one row of transfer.csv; a value that is no number is left empty."""
    empty = not np.isfinite(value)
    return {
        results.MEASURE: measure,
        results.LAYER: layer,
        results.ARM: arm,
        results.VALUE: None if empty else float(value),
        results.STDERR: None if empty or not np.isfinite(error) else float(error),
        results.COUNT: None if count is None or not np.isfinite(count) else int(count),
    }


def _where_finite(name: str, values: np.ndarray) -> dict[str, float | None]:
    """Return the columns of a mean over the episodes; they are empty where a fine-tuning diverged in one."""
    if not np.isfinite(values).all():
        return {name: None, f"{name}.stderr": None}
    return {**mean_over_episodes(name, by_episode(values))}


def _mean(measure: str, arm: str, values: np.ndarray, layer: int | None = None) -> dict:
    statistics = mean_and_error(by_episode(values))
    return _row(measure, arm, float(statistics["mean"]), float(statistics["stderr"]), layer)


def _ratio(measure: str, arm: str, above_B: np.ndarray, below_B: np.ndarray) -> dict:
    value, error = bootstrap(lambda numerator, denominator: numerator / denominator, above_B, below_B)
    return _row(measure, arm, value, error, count=below_B.sum())


DRAWS = 1000


def bootstrap(
    statistic: Callable[..., np.ndarray], *sums_B: np.ndarray, draws: int = DRAWS, seed: int = 0
) -> tuple[float, float]:
    """Return a statistic of sums over episodes, and its standard error, by resampling episodes (Efron 1979).

    Args:
        statistic: a function of totals, each () or (draws,), such as a ratio of two.
        sums_B: what each episode adds to each total, (B,).
        draws: how many samples of B episodes, drawn with replacement.

    Returns:
        The statistic of all episodes, and its standard deviation over the samples. Samples in which it is not a finite
        number (a ratio with denominator 0, say) are left out.
    """
    totals = np.stack([np.asarray(each, np.float64) for each in sums_B])
    episodes = totals.shape[1]
    counts = np.random.default_rng(seed).multinomial(episodes, np.full(episodes, 1 / episodes), size=draws)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = statistic(*(totals @ counts.T))
        value = float(statistic(*totals.sum(axis=1)))
    finite = values[np.isfinite(values)]
    return value, float(finite.std(ddof=1)) if len(finite) > 1 else float("nan")
