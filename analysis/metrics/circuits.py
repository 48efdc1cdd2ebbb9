"""The circuits of a trained Transformer, beside those of the one that is gradient descent by construction.

Circuits: W_Q^T W_K (QK) and P W_V (OV) of each block, and the documents' pair, at the scale that interpolation fixes.
Attention: the scores q_j^T k_i of the tokens as they enter each layer, and those of documents, at the same scale.
Linear path: the losses of (1 - w) trained + w constructed; a barrier in them would show that the two solutions are not
connected. Read-outs: the agreement of the answer after each layer with each step of gradient descent.
"""

import dataclasses
from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from analysis.metrics.answers import losses
from analysis.metrics.columns import Predictions, Weights
from lab.attention.linear_layers import Circuits
from lab.learners.embedded import Embedded
from lab.learners.interpolation import canonical, interpolated, normalised_circuits
from lab.learners.learner import Learner, predict
from lab.learners.linear_transformer import LinearTransformer, Shape
from tasks.episode import Episode, Prompt
from tasks.task import Task

WEIGHTS = np.arange(-2, 11) / 8  # from -1/4 to 5/4, with 0, 1/2 and 1 among them exactly
SCORES = 2**24  # numbers in memory at a time; prompts with more scores in all are traced in several chunks


def transformer_of(learner: Learner) -> LinearTransformer:
    """Return the Transformer that a learner is, or that it applies to learned features.

    Raises:
        TypeError: it is no linear Transformer.
    """
    model = learner.inner if isinstance(learner, Embedded) else learner
    if not isinstance(model, LinearTransformer):
        raise TypeError(f"circuits are defined for linear Transformers, not for {type(model).__name__}")
    return model


def as_seen(learner: Learner, episodes: Episode) -> Episode:
    """Return episodes (B in front) with prompts as the learner's Transformer sees them: with its learned features."""
    if not isinstance(learner, Embedded):
        return episodes
    return dataclasses.replace(episodes, prompt=jax.vmap(learner.embedded)(episodes.prompt))


def circuits_of(model: LinearTransformer) -> Circuits:
    """Return each block's normalised circuits, (blocks, 1, D, D) and (blocks, 1, D, W). For one head per layer."""
    return jax.tree.map(lambda *blocks: jnp.stack(blocks), *normalised_circuits(model))


@struct.dataclass
class Layers:
    """A Transformer's attention scores and read-outs in each layer, for one prompt.

    scores: (L, 1 + M, M + K'), from the first query and the first M examples of the context to those M examples and to
    the documents' rows, at the scale of `circuits_of`. readouts: (L, Q, A), as the Transformer's own.
    """

    scores: jax.Array
    readouts: jax.Array


def layers(model: LinearTransformer, prompt: Prompt, examples: int) -> Layers:
    """Trace one prompt through a Transformer with one head per layer; `examples` is M of `Layers`."""
    trace = canonical(model).trace(prompt)
    assert trace.scores is not None  # a Transformer's trace always has them
    context = len(prompt.answers)
    attending = np.array([context, *range(examples)])  # the queries' tokens follow the context's
    attended = np.array([*range(examples), *range(context, trace.scores.shape[-1])])
    return Layers(trace.scores[:, 0][:, attending[:, None], attended], trace.readouts)


def layers_of_each(model: LinearTransformer, prompts: Prompt, examples: int) -> Layers:
    """Trace a batch of prompts, only so many of them at a time that their scores fit into memory."""
    count, context = prompts.answers.shape[:2]
    at_a_time = max(1, min(count, SCORES // (model.shape.num_layers * context**2)))
    return jax.lax.map(lambda prompt: layers(model, prompt, examples), prompts, batch_size=at_a_time)


def linear_path(
    first: LinearTransformer, second: LinearTransformer, weights: jax.Array, task: Task, episodes: Episode
) -> jax.Array:
    """Return the loss of each episode at (1 - weight) first + weight second, (weights, B). For one head per layer.

    The weights are taken one after the other, since the episodes take much memory.
    """

    def losses_at(weight: jax.Array) -> jax.Array:
        return losses(task, predict(interpolated(first, second, weight), episodes.prompt), episodes)

    return jax.lax.map(losses_at, weights)


def distance_rows(shape: Shape, trained: Mapping[str, np.ndarray], constructed: Mapping[str, np.ndarray]) -> list[dict]:
    """Return the rows of weights.csv, from {circuit: its matrices by block} of both models."""
    t_DxI = shape.layout.token_duplication
    return [
        {Weights.BLOCK: block, Weights.MATRIX: name}
        | _distances(one, other, t_DxI, t_DxI if one.shape[1] == len(t_DxI) else None, rows_read(shape, name, block))
        for name in trained
        for block, (one, other) in enumerate(zip(trained[name], constructed[name], strict=True), start=1)
    ]


def rows_read(shape: Shape, circuit: str, block: int) -> np.ndarray:
    """Return which rows of a block's circuit a prediction can depend on, (D,) of bool.

    The answer reads only the query's y-slot of what the last layer writes; and where there is one layer, only the query
    attends, whose y-slot is still 0 (for W_0 = 0).
    """
    last = shape.num_layers == 1 or (not shape.recurrent and block == shape.num_layers)
    is_y = np.arange(shape.layout.token_dim) >= shape.layout.feature_dim
    if circuit.endswith("ov"):
        return is_y if last else np.full_like(is_y, True)
    return ~is_y if shape.num_layers == 1 else np.full_like(is_y, True)


def _distances(trained, constructed, left: np.ndarray, right: np.ndarray | None, rows: np.ndarray) -> dict[str, float]:
    trained, constructed = (np.asarray(matrix, np.float64) for matrix in (trained, constructed))

    def relative(transform: Callable[[np.ndarray], np.ndarray]) -> float:
        norm = np.linalg.norm(transform(constructed))
        return float(np.linalg.norm(transform(trained) - transform(constructed)) / norm) if norm else float("nan")

    def folded(matrix: np.ndarray) -> np.ndarray:
        return left.T @ (matrix if right is None else matrix @ right)

    with np.errstate(invalid="ignore", over="ignore"):  # where the scale by which circuits are divided is 0
        return {
            Weights.NORM_TRAINED: float(np.linalg.norm(trained)),
            Weights.NORM_CONSTRUCTED: float(np.linalg.norm(constructed)),
            Weights.DISTANCE: relative(lambda matrix: matrix),
            Weights.DISTANCE_FOLDED: relative(folded),
            Weights.DISTANCE_READ: relative(lambda matrix: folded(rows[:, None] * matrix)),
        }


def agreement(readouts_BxL: np.ndarray, other_BxL: np.ndarray) -> list[dict[str, float]]:
    """Return, for each layer, how two learners' read-outs agree over the episodes, as columns of predictions.csv."""
    rows = []
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):  # read-outs may have diverged
        for a, b in zip(np.asarray(readouts_BxL, np.float64).T, np.asarray(other_BxL, np.float64).T, strict=True):
            a, b = a - a.mean(), b - b.mean()
            product, norms = a @ b, np.sqrt((a @ a) * (b @ b))
            rows.append({Predictions.CORRELATION: float(product / norms), Predictions.SLOPE: float(product / (b @ b))})
    return rows
