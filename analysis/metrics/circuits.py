"""Inside a trained Transformer, beside the one that is constructed to be gradient descent (design 2.3, 2.7).

Matrices: A = W_Q^T W_K and B = P W_V of each block, and the documents' pair, at the scale that interpolation fixes.
Attention: the scores q_j^T k_i = e_j^T A e_i of the tokens e as they enter each layer, and e_j^T A_d d of documents.
Straight line: the losses of (1 - w) trained + w constructed. Layers: what is read out after each layer or step.
"""

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from analysis.metrics.alignment import losses
from lab.learners.embedded import Embedded
from lab.learners.interpolation import interpolated, normalised
from lab.learners.learner import Learner, predict
from lab.learners.linear_transformer import Effective, LinearTransformer, Shape, attend
from tasks.episode import Episode, Prompt
from tasks.task import Task

WEIGHTS = np.arange(-2, 11) / 8  # from -1/4 to 5/4, with 0, 1/2 and 1 among them exactly


def transformer_of(learner: Learner) -> LinearTransformer:
    """The Transformer that a learner is, or holds over learned features."""
    return learner.inner if isinstance(learner, Embedded) else learner


def as_seen(learner: Learner, episodes: Episode) -> Episode:
    """Episodes (B in front) as its Transformer sees them."""
    if not isinstance(learner, Embedded):
        return episodes
    return episodes.replace(prompt=jax.vmap(learner.embedded)(episodes.prompt))


def effective(model: LinearTransformer) -> Effective:
    """The normalised matrices of each block, (blocks, 1, D, D) and (blocks, 1, D, W). For one head a layer."""
    layers = [normalised(block.effective(), model.shape.layout) for block in model.blocks]
    return jax.tree.map(lambda *blocks: jnp.stack(blocks), *layers)


@struct.dataclass
class Layers:
    """What happens in each layer of a Transformer, for one episode.

    scores: (L, 1 + M, M + K'), what the first query and the first M examples of the context give to those examples and
    to the documents' rows. readouts: (L, Q, Y), as the Transformer's own.
    """

    scores: jax.Array
    readouts: jax.Array


def layers(model: LinearTransformer, prompt: Prompt, examples: int) -> Layers:
    """Layer by layer, in one scan that takes as long to compile for many as for one. For one head a layer."""
    shape, layout = model.shape, model.shape.layout
    each = jax.tree.map(lambda of: jnp.broadcast_to(of, (shape.num_layers, *of.shape[1:])), effective(model))
    documents_KxW = model.rows(prompt)

    def layer(carry, block: Effective):
        tokens_NxD, queries_QxD = carry
        receivers_TxD = jnp.concatenate([queries_QxD[:1], tokens_NxD[:examples]])
        scores = [receivers_TxD @ block.score[0] @ tokens_NxD[:examples].T]
        if documents_KxW is not None:
            scores.append(receivers_TxD @ block.document_score[0] @ documents_KxW.T)
        carry = tuple(model.clipped(e + attend(block, e, tokens_NxD, documents_KxW)) for e in carry)
        return carry, Layers(jnp.concatenate(scores, axis=1), -carry[1][:, layout.feature_dim :])

    start = layout.context_tokens(prompt), layout.query_tokens(prompt, model.initial_model[...])
    return jax.lax.scan(layer, start, each)[1]


def straight_line(
    first: LinearTransformer, second: LinearTransformer, weights: jax.Array, task: Task, episodes: Episode
) -> jax.Array:
    """(weights, B): the loss of each episode at (1 - weight) first + weight second; one weight after the other, since
    they hold many episodes. For one head a layer."""

    def at(weight: jax.Array) -> jax.Array:
        return losses(task, predict(interpolated(first, second, weight), episodes.prompt), episodes)

    return jax.lax.map(at, weights)


def distance_rows(shape: Shape, trained: Mapping[str, np.ndarray], constructed: Mapping[str, np.ndarray]) -> list[dict]:
    """A row a block and matrix, of `effective` matrices by name: Frobenius norms in both models, and that of the
    difference relative to the constructed one's, NaN where that is zero.

    `distance_folded`: the same after the copies of an input that is shown twice have been added up, which for one layer
    changes no function. `distance_read`: folded, and of the entries alone that a prediction can depend on.
    """
    fold = shape.layout.token_duplication
    return [
        {"block": block, "matrix": name}
        | _distances(one, other, fold, fold if one.shape[1] == len(fold) else None, read(shape, name, block))
        for name in trained
        for block, (one, other) in enumerate(zip(trained[name], constructed[name], strict=True), start=1)
    ]


def read(shape: Shape, matrix: str, block: int) -> np.ndarray:
    """(D,): which rows of a block's matrix a prediction can depend on. Of what the last layer writes only the query's
    y-slot is read; and of one layer only the query asks, whose y-slot is still 0 (for W_0 = 0)."""
    last = shape.num_layers == 1 or (not shape.recurrent and block == shape.num_layers)
    is_y = np.arange(shape.layout.token_dim) >= shape.layout.feature_dim
    if matrix.endswith("write"):
        return is_y if last else np.full_like(is_y, True)
    return ~is_y if shape.num_layers == 1 else np.full_like(is_y, True)


def _distances(trained, constructed, left: np.ndarray, right: np.ndarray | None, rows: np.ndarray) -> dict[str, float]:
    trained, constructed = (np.asarray(of, np.float64) for of in (trained, constructed))

    def relative(of: Callable[[np.ndarray], np.ndarray]) -> float:
        norm = np.linalg.norm(of(constructed))
        return float(np.linalg.norm(of(trained) - of(constructed)) / norm) if norm else float("nan")

    def folded(matrix: np.ndarray) -> np.ndarray:
        return left.T @ (matrix if right is None else matrix @ right)

    with np.errstate(invalid="ignore", over="ignore"):  # where the scale that is fixed is 0, entries are infinite
        return {
            "norm_trained": float(np.linalg.norm(trained)),
            "norm_constructed": float(np.linalg.norm(constructed)),
            "distance": relative(lambda matrix: matrix),
            "distance_folded": relative(folded),
            "distance_read": relative(lambda matrix: folded(rows[:, None] * matrix)),
        }


def agreement(said_BxL: np.ndarray, other_BxL: np.ndarray) -> list[dict[str, float]]:
    """For each layer, over the episodes: the correlation of two learners' read-outs, and the slope of the least-squares
    line of the first against the second. NaN where the second, or for a correlation the first, says always the same."""
    found = []
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):  # of diverged read-outs
        for one, other in zip(np.asarray(said_BxL, np.float64).T, np.asarray(other_BxL, np.float64).T, strict=True):
            one, other = one - one.mean(), other - other.mean()
            together, norms = one @ other, np.sqrt((one @ one) * (other @ other))
            found.append({"correlation": float(together / norms), "slope": float(together / (other @ other))})
    return found
