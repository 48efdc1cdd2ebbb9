"""One layer of the lab, trained by the lab's recipe, and the order in which the theory expects seeds to leave.

To lowest order a layer with one head answers b^T M x with M = -N (a_y B_xx + a_x b_y^T), where a = V^T p, p is the row
of P that is read, and B = K^T Q. Softmax and layer norm change this by factors that seeds share. Two predictions are
the steps at which the population loss of M has fallen by SHARE: by plain gradient descent at the rate RATE, of which
only the order of seeds means something, and by the recipe's own optimiser. Both leave out what is even in the teacher.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax

from experiments.regression.plateau.escape import Problem
from lab.layouts.merged import TokenLayout
from lab.learners.linear_transformer import AttentionStack, Shape
from tasks.plain import Plain
from trainers import meta
from trainers.recipe import Recipe
from trainers.transformers import STACKS

SHARE = 0.3  # of the loss that can be learned: several of ten directions, and less than one softmax head learns
RATE = 0.05
Weights = dict[str, jax.Array]
SMOOTHED = 10  # steps whose mean loss counts, since a batch is noisy
TASK = Plain(num_context=10, input_dim=10)  # of softmax_heads and layer_norm


def weights_of(stack: AttentionStack) -> Weights:
    """Return the weights of a layer on which its answer depends to lowest order."""
    return {name: getattr(stack.blocks[0], name)[...] for name in ("p", "w_v", "w_k", "w_q")}


def matrix(weights: Weights) -> jax.Array:
    """Return M of a layer's weights P, W_V, W_K, W_Q, (H, D, D) each, with the target last in a token."""
    a_HxD = jnp.einsum("hd,hde->he", weights["p"][:, -1], weights["w_v"])
    b_HxDxX = jnp.einsum("hda,hdb->hab", weights["w_k"], weights["w_q"])[:, :, :-1]
    by_target = jnp.einsum("h,hij->ij", a_HxD[:, -1], b_HxDxX[:, :-1])
    return -TASK.num_context * (by_target + jnp.einsum("hi,hj->ij", a_HxD[:, :-1], b_HxDxX[:, -1]))


@functools.partial(jax.jit, static_argnames=("method", "most"))
def steps_by(
    method: optax.GradientTransformation, weights: Weights, problem: jax.Array, level: float, most: int
) -> jax.Array:
    """Return the step at which a method has brought the population loss to `level`, at most `most`."""

    def loss(weights: Weights) -> jax.Array:
        return Problem(*problem).loss(matrix(weights))

    def descend(state):
        weights, memory, step = state
        change, memory = method.update(jax.grad(loss)(weights), memory, weights)
        return optax.apply_updates(weights, change), memory, step + 1

    def on_plateau(state) -> jax.Array:
        return (loss(state[0]) > level) & (state[2] < most)

    return jax.lax.while_loop(on_plateau, descend, (weights, method.init(weights), jnp.zeros((), jnp.int32)))[2]


def trained(layer, recipe: Recipe, keys: jax.Array) -> tuple[Weights, jax.Array]:
    """Return the initial weights of a layer of each key, and the losses of its training's batches, (P, steps)."""
    shape = Shape(TokenLayout.of(TASK))

    def begin(key: jax.Array) -> meta.TrainState:
        return meta.begin(lambda key, scale: STACKS[layer](shape, key, scale), recipe, key)

    def train(key: jax.Array) -> tuple[Weights, jax.Array]:
        state = begin(key)
        assert isinstance(state.learner, AttentionStack)
        return weights_of(state.learner), meta.train(state, TASK, recipe, key, recipe.steps)[1]

    return jax.jit(jax.vmap(train))(keys)


def exits(losses_PxS: jax.Array, level: float) -> jax.Array:
    """Return the first step at which the mean loss of SMOOTHED batches is at most `level`; the last step else."""
    count = min(SMOOTHED, losses_PxS.shape[1])
    smooth_PxS = jax.vmap(lambda each: jnp.convolve(each, jnp.ones(count) / count, "valid"))(losses_PxS)
    below_PxS = (smooth_PxS <= level).at[:, -1].set(True)
    return jnp.argmax(below_PxS, axis=1) + count


def waits(problem: Problem, losses_PxS: np.ndarray, exits_P: np.ndarray) -> list[float | None]:
    """Return the share of what can be learned that a seed knows between a half and three quarters of its steps on the
    plateau; None for seeds that take less than twice as many as the median."""
    fewest = 2 * np.median(exits_P)
    return [
        float(problem.share(np.mean(losses[step // 2 : 3 * step // 4]))) if step >= fewest else None
        for losses, step in zip(losses_PxS, exits_P, strict=True)
    ]
