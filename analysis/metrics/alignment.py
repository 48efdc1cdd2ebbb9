"""Comparing two learners as functions, from their answers to the same episodes [RAG-GD section 3; design 2.7].

Every metric is one number per episode (B,), so that means have standard errors and differences are paired.
"""

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.answers import Answers


@jax.jit
def align(a: Answers, b: Answers) -> dict[str, jax.Array]:
    """How two learners differ in each episode.

    Args:
        a, b: their answers to the same episodes, with sensitivities.

    Returns:
        Each (B,), averaged over the queries: `prediction_l2` ||A - B||, `sensitivity_cosine` cos(dA, dB),
        `sensitivity_l2` ||dA - dB||, and `loss_difference`, the loss of A minus that of B. A zero gradient has no
        direction: its cosine is NaN, to be left out and counted.
    """
    da, db = (s.reshape(*s.shape[:2], -1) for s in (a.sensitivity, b.sensitivity))
    norms = jnp.linalg.norm(da, axis=-1) * jnp.linalg.norm(db, axis=-1)
    cosine = jnp.where(norms > 0, jnp.sum(da * db, axis=-1) / jnp.where(norms > 0, norms, 1.0), jnp.nan)
    return {
        "prediction_l2": jnp.mean(jnp.linalg.norm(a.prediction - b.prediction, axis=-1), axis=-1),
        "sensitivity_cosine": jnp.mean(cosine, axis=-1),
        "sensitivity_l2": jnp.mean(jnp.linalg.norm(da - db, axis=-1), axis=-1),
        "loss_difference": a.loss - b.loss,
    }


def mean_and_error(values_B: np.ndarray) -> dict[str, np.ndarray]:
    """Mean over the episodes that have a value (are not NaN), its standard error, and how many were left out; in double
    precision, on the host. NaN where no episode has one; of a single one the error is 0."""
    values = np.asarray(values_B, np.float64)
    kept = values[~np.isnan(values)]
    with np.errstate(invalid="ignore", over="ignore"):  # infinite losses are for the caller to see
        mean = kept.mean() if kept.size else np.float64(np.nan)
        spread = np.sqrt(np.sum((kept - mean) ** 2) / max(kept.size - 1, 1))
    return {
        "mean": mean,
        "stderr": spread / np.sqrt(kept.size) if kept.size else mean,
        "left_out": np.int64(values.size - kept.size),
    }


def statistics(
    answers: Mapping[str, Answers], model: str, align: Callable[[Answers, Answers], dict[str, jax.Array]] = align
) -> dict:
    """The means over the episodes, with their errors.

    Args:
        answers: {learner: its answers}, all to the same episodes.
        model: the learner among them that is compared with each of the others.
        align: the metrics of such a pair.

    Returns:
        {"loss": {learner: of its loss}, "layers": {learner: [of its loss after each layer or step]},
        "alignment": {other learner: {metric: of the model with it}}}; each number as `mean_and_error` gives it.
    """
    by_layer = {name: [mean_and_error(loss_B) for loss_B in each.losses.T] for name, each in answers.items()}
    others = {name: align(answers[model], each) for name, each in answers.items() if name != model}
    return {
        "loss": {name: layers[-1] for name, layers in by_layer.items()},
        "layers": by_layer,
        "alignment": {name: jax.tree.map(mean_and_error, metrics) for name, metrics in others.items()},
    }
