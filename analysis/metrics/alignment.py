"""Comparing two learners as functions, from their answers to the same episodes [RAG-GD section 3].

Every metric is one number per episode (B,), so that means have standard errors and differences are paired.
"""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.answers import Answers
from analysis.metrics.columns import Metric
from lab.errors import NotFinite

Numbers = np.ndarray | jax.Array
CLUSTERS = 64  # of test rows
BLOCKS = 20  # of test episodes; the error of a difference by blocks is itself known to 16%
UNDEFINED = (Metric.COSINE, Metric.COSINE_Z)  # for a zero gradient


@jax.jit
def align(a: Answers, b: Answers) -> dict[str, jax.Array]:
    """Measure how two learners differ in each episode.

    Args:
        a, b: their answers to the same episodes, with sensitivities.

    Returns:
        {metric: (B,)}, averaged over the queries: PREDICTION_L2 ||A - B||, COSINE cos(dA, dB), SENSITIVITY_L2
        ||dA - dB||, and LOSS_DIFFERENCE, the loss of A minus that of B. A zero gradient has no direction: its cosine is
        NaN, to be left out and counted. Where the episodes have `slopes` also COSINE_Z and SENSITIVITY_L2_Z, of the
        gradients in common coordinates.

    Raises:
        ValueError: the answers have no sensitivities.
    """
    if a.sensitivity is None or b.sensitivity is None:
        raise ValueError("learners are compared by answers with sensitivities: evaluate(..., sensitivity=True)")
    metrics = {
        Metric.PREDICTION_L2: jnp.mean(jnp.linalg.norm(a.prediction - b.prediction, axis=-1), axis=-1),
        **_compare_gradients(a.sensitivity, b.sensitivity),
        Metric.LOSS_DIFFERENCE: a.loss - b.loss,
    }
    if a.slopes is None:
        return metrics
    slopes_BxQx1xI = a.slopes[:, :, None]
    common = _compare_gradients(a.sensitivity * slopes_BxQx1xI, b.sensitivity * slopes_BxQx1xI)
    return metrics | {f"{name}_z": values for name, values in common.items()}


def _compare_gradients(da_BxQxAxI: jax.Array, db_BxQxAxI: jax.Array) -> dict[str, jax.Array]:
    da, db = (gradient.reshape(*gradient.shape[:2], -1) for gradient in (da_BxQxAxI, db_BxQxAxI))
    norms = jnp.linalg.norm(da, axis=-1) * jnp.linalg.norm(db, axis=-1)
    cosine = jnp.where(norms > 0, jnp.sum(da * db, axis=-1) / jnp.where(norms > 0, norms, 1.0), jnp.nan)
    return {
        Metric.COSINE: jnp.mean(cosine, axis=-1),
        Metric.SENSITIVITY_L2: jnp.mean(jnp.linalg.norm(da - db, axis=-1), axis=-1),
    }


def mean_and_error(values_B: Numbers, group_B: Numbers | None = None, undefined: bool = False) -> dict[str, Any]:
    """Return the mean over episodes and its standard error, computed in double precision on the host.

    Args:
        values_B: (B,), NaN where an episode has no value.
        group_B: (B,) numbers of the groups within which episodes depend on one another; None: all are independent.
        undefined: whether NaN means that the value is not defined there; otherwise it makes the mean NaN.

    Returns:
        `mean`: over the episodes that have a value where some may have none, NaN where none has. `stderr`: its standard
        error; with groups the cluster-robust one, sqrt(G/(G-1) sum_g (sum of residuals of g)^2) / n (Liang and Zeger
        1986); 0 for a single episode or group. `common`: the part of the error that other runs on the same groups
        share, all of it with groups and 0 without. `left_out`: how many episodes had no value. With groups also
        `clusters`, (CLUSTERS,): the part of each cluster of groups in the mean, its sum of residuals / n; groups of one
        number modulo CLUSTERS are a cluster. Clusters of several groups give the same error on average, and take little
        room.
    """
    values = np.asarray(values_B, np.float64)
    has_value = ~np.isnan(values) if undefined else np.ones(values.shape, bool)
    present = values[has_value]
    clusters = {} if group_B is None else {"clusters": np.zeros(CLUSTERS)}
    with np.errstate(invalid="ignore", over="ignore"):  # infinite losses are for the caller to see
        mean = present.mean() if present.size else np.float64(np.nan)
        residuals = present - mean
        if group_B is not None and present.size:
            numbers, group = np.unique(np.asarray(group_B)[has_value], return_inverse=True)
            residuals = np.bincount(group, weights=residuals)
            sums = np.bincount(numbers.astype(int) % CLUSTERS, weights=residuals, minlength=CLUSTERS)
            clusters = {"clusters": sums / present.size}
        count = residuals.size
        stderr = np.sqrt(np.sum(residuals**2) * count / max(count - 1, 1)) / present.size if present.size else mean
    return {
        "mean": mean,
        "stderr": stderr,
        "common": stderr if group_B is not None else np.float64(0.0),
        "left_out": np.int64(np.isnan(values).sum()),
        **clusters,
    }


def in_blocks(values_B: Numbers, undefined: bool = False) -> np.ndarray:
    """Return the part (BLOCKS,) of each block of episodes in their mean, its sum of residuals / n.

    A block is the episodes of one number modulo BLOCKS. If two learners answered the same episodes, the differences of
    their parts give the error of the difference of their means, as for clusters of test rows.

    Args:
        undefined: as for `mean_and_error`.
    """
    values = np.asarray(values_B, np.float64)
    has_value = ~np.isnan(values) if undefined else np.ones(values.shape, bool)
    count = max(int(has_value.sum()), 1)
    with np.errstate(invalid="ignore", over="ignore"):
        residuals = np.where(has_value, values - values[has_value].sum() / count, 0.0)
    return np.bincount(np.arange(values.size) % BLOCKS, weights=residuals, minlength=BLOCKS) / count


def mean_over_episodes(name: str, values_B: Numbers, undefined: bool = False) -> dict[str, float]:
    """Return {name: the mean over the episodes, name.stderr: its standard error}, as columns of a row.

    Args:
        undefined: as for `mean_and_error`.

    Raises:
        NotFinite: a value is NaN, where it may not be, or infinite.
    """
    bad = np.isinf(values_B) if undefined else ~np.isfinite(values_B)
    if bad.any():
        raise NotFinite(f"{name} is NaN or infinite in {int(bad.sum())} of {bad.size} episodes")
    number = mean_and_error(values_B, undefined=undefined)
    return {name: float(number["mean"]), f"{name}.stderr": float(number["stderr"])}


def statistics(
    answers: Mapping[str, Answers], model: str, align: Callable[[Answers, Answers], dict[str, jax.Array]] = align
) -> dict:
    """Return means over the episodes, with their standard errors, of losses and of alignment metrics.

    Args:
        answers: {learner: its answers}, all to the same episodes.
        model: the learner among them that is compared with each of the others.
        align: the metrics of such a pair, as the function `align` of this module.

    Returns:
        {"loss": {learner: statistics of its loss}, "layers": {learner: [the same after each layer or step]},
        "alignment": {other learner: {metric: statistics of the metric between the model and it}}}; statistics are
        those of `mean_and_error`, and of losses and metrics of episodes without groups also `blocks`, by `in_blocks`.
    """
    group = answers[model].group
    by_layer = {name: [mean_and_error(loss_B, group) for loss_B in each.losses.T] for name, each in answers.items()}
    others = {name: align(answers[model], each) for name, each in answers.items() if name != model}

    def with_blocks(number: dict[str, Any], values_B: Numbers, undefined: bool = False) -> dict[str, Any]:
        return number | ({"blocks": in_blocks(values_B, undefined)} if group is None else {})

    def aligned(metric: str, values_B: Numbers) -> dict[str, Any]:
        undefined = metric in UNDEFINED
        return with_blocks(mean_and_error(values_B, group, undefined), values_B, undefined)

    return {
        "loss": {name: with_blocks(layers[-1], answers[name].loss) for name, layers in by_layer.items()},
        "layers": by_layer,
        "alignment": {
            name: {metric: aligned(metric, values_B) for metric, values_B in metrics.items()}
            for name, metrics in others.items()
        },
    }
