"""Linear attention b^T M x with merged or separate key and query matrices, trained by plain gradient descent on fresh
episodes until it leaves its plateau. The weights are a dictionary of arrays; shapes as in `escape`."""

import functools

import jax
import jax.numpy as jnp

from experiments.regression.plateau.escape import Problem
from tasks.task import Task

MERGED, SEPARATE = "merged", "separate"
Weights = dict[str, jax.Array]


def initial(form: str, key: jax.Array, heads: int, rank: int, width: int) -> Weights:
    """Return normal weights, to be multiplied by the initial scale."""
    key_v, key_k, key_q = jax.random.split(key, 3)
    v_H = jax.random.normal(key_v, (heads,))
    if form == MERGED:
        return {"v": v_H, "u": jax.random.normal(key_k, (heads, width, width))}
    k, q = (jax.random.normal(each, (heads, rank, width)) for each in (key_k, key_q))
    return {"v": v_H, "k": k, "q": q}


def matrix(weights: Weights) -> jax.Array:
    """Return M (X, X)."""
    if "u" in weights:
        return jnp.einsum("h,hij->ij", weights["v"], weights["u"])
    return jnp.einsum("h,hri,hrj->ij", weights["v"], weights["k"], weights["q"])


@functools.partial(jax.jit, static_argnames=("batch_size", "steps"))
def leave(
    weights: Weights, task: Task, key: jax.Array, problem: jax.Array, rate: float, level: float, batch_size: int,
    steps: int,
) -> jax.Array:  # fmt: skip
    """Return the first step at which the population loss is at most `level`, at most `steps`.

    Args:
        problem: l and c of `Problem`, (2, X).
    """

    def batch_loss(weights: Weights, key: jax.Array) -> jax.Array:
        episodes = task.sample(key, batch_size)
        context, answers, queries = episodes.prompt.context.x, episodes.prompt.answers, episodes.prompt.query.x
        b_BxX = jnp.mean(answers * context, axis=1)
        answers_BxQ = jnp.einsum("bi,ij,bqj->bq", b_BxX, matrix(weights), queries)
        return jnp.mean(task.loss(answers_BxQ[..., None], episodes.target))

    def on_plateau(state: tuple[Weights, jax.Array]) -> jax.Array:
        weights, step = state
        return (Problem(*problem).loss(matrix(weights)) > level) & (step < steps)

    def descend(state: tuple[Weights, jax.Array]) -> tuple[Weights, jax.Array]:
        weights, step = state
        gradient = jax.grad(batch_loss)(weights, jax.random.fold_in(key, step))
        return jax.tree.map(lambda weight, slope: weight - rate * slope, weights, gradient), step + 1

    return jax.lax.while_loop(on_plateau, descend, (weights, jnp.zeros((), jnp.int32)))[1]
