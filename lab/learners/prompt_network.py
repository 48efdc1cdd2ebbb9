"""Two-layer networks that are trained on the examples of a prompt, by Adam on their squared error [Garg22].

A network is W relu(U f + b) + c. Its random start is the same for every prompt and query: entries N(0, 1 / fan-in),
b = c = 0.
"""

from collections.abc import Sequence
from typing import cast

import jax
import jax.numpy as jnp
import optax

from lab.layouts.merged import TokenLayout
from lab.learners.fit_per_query import ByQuery
from lab.learners.learner import Fixed

Weights = tuple[jax.Array, jax.Array, jax.Array, jax.Array]  # U (H, F), b (H,), W (Y, H), c (Y,)
EVERY = 4  # one of so many examples is held out by `ValidatedNetwork`


class PromptNetwork(ByQuery):
    """Answers each query by a network with `hidden` units, H, trained on the examples that the query sees.

    steps: the number of Adam's steps, each on all examples. rate: Adam's learning rate.
    """

    def __init__(self, layout: TokenLayout, key: jax.Array, hidden: int, steps: int, rate: float | jax.Array):
        super().__init__(layout)
        self.steps, self.rate = steps, Fixed(jnp.asarray(rate))
        key_u, key_w = jax.random.split(key)
        width, out = layout.feature_dim, layout.answer_dim
        self.u_HxF = Fixed(jax.random.normal(key_u, (hidden, width)) / width**0.5)
        self.w_YxH = Fixed(jax.random.normal(key_w, (out, hidden)) / hidden**0.5)

    @property
    def start(self) -> Weights:
        """The weights before the first step."""
        u_HxF, w_YxH = self.u_HxF[...], self.w_YxH[...]
        return u_HxF, jnp.zeros(len(u_HxF)), w_YxH, jnp.zeros(len(w_YxH))

    def answer(self, f_NxF: jax.Array, y_NxY: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        weights, _ = trained(self.start, f_NxF, y_NxY, visible_N, ~visible_N, self.rate[...], self.steps, self.steps)
        return network(weights, f_F[None])[0]


class ValidatedNetwork(PromptNetwork):
    """Answers each query by the best of several networks, by validation on the same prompt.

    Each learning rate trains a network on three of four examples that a query sees, and the fourth ones say at which
    rate and after how many steps the error was smallest. A network that is trained at this rate for so many steps on
    all examples answers. Where a query sees fewer than four examples, the first rate and all steps are taken.

    steps: the most steps. rates: Adam's learning rates.
    """

    def __init__(self, layout: TokenLayout, key: jax.Array, hidden: int, steps: int, rates: Sequence[float]):
        super().__init__(layout, key, hidden, steps, rates[0])
        self.rates_R = Fixed(jnp.asarray(rates, float))

    def answer(self, f_NxF: jax.Array, y_NxY: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        held_out_N = visible_N & (jnp.arange(len(visible_N)) % EVERY == EVERY - 1)

        def errors(rate: jax.Array) -> jax.Array:
            taught_N = visible_N & ~held_out_N
            return trained(self.start, f_NxF, y_NxY, taught_N, held_out_N, rate, self.steps, self.steps)[1]

        rate, count = self.choice(jax.lax.map(errors, self.rates_R[...]), jnp.any(held_out_N))
        weights, _ = trained(self.start, f_NxF, y_NxY, visible_N, held_out_N, rate, self.steps, count)
        return network(weights, f_F[None])[0]

    def choice(self, error_RxT: jax.Array, is_validated: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return the rate and the number of steps with the smallest error on held-out examples.

        Args:
            error_RxT: after each step at each rate.
            is_validated: whether there are held-out examples.
        """
        least_R = jnp.min(error_RxT, axis=1)
        best = jnp.where(is_validated, jnp.argmin(least_R), 0)
        count = jnp.where(is_validated, jnp.argmin(error_RxT[best]) + 1, self.steps)
        return self.rates_R[...][best], count


def trained(
    start: Weights,
    f_NxF: jax.Array,
    y_NxY: jax.Array,
    taught_N: jax.Array,
    held_out_N: jax.Array,
    rate: jax.Array,
    steps: int,
    count: int | jax.Array,
) -> tuple[Weights, jax.Array]:
    """Return the weights after `count` of `steps` steps of Adam, and the error on held-out examples after every step.

    Args:
        taught_N: the examples whose mean squared error is descended.
        held_out_N: the examples whose mean squared error is returned; 0 where there are none.
        count: how many steps are taken, at most `steps`; may be traced.
    """
    adam = optax.adam(rate)

    def step(carry: tuple[Weights, optax.OptState], index: jax.Array):
        weights, state = carry
        change, state = adam.update(jax.grad(mean_error)(weights, f_NxF, y_NxY, taught_N), state)
        # Optax does not say that the updated weights have the structure of the old ones.
        moved = cast(Weights, optax.apply_updates(weights, change))
        weights = jax.tree.map(lambda new, old: jnp.where(index < count, new, old), moved, weights)
        return (weights, state), mean_error(weights, f_NxF, y_NxY, held_out_N)

    (weights, _), error_T = jax.lax.scan(step, (start, adam.init(start)), jnp.arange(steps))
    return weights, error_T


def mean_error(weights: Weights, f_NxF: jax.Array, y_NxY: jax.Array, chosen_N: jax.Array) -> jax.Array:
    """Return the mean squared error on the chosen examples; 0 where there are none."""
    square_N = jnp.sum((network(weights, f_NxF) - y_NxY) ** 2, axis=1)
    return jnp.sum(jnp.where(chosen_N, square_N, 0.0)) / jnp.maximum(jnp.sum(chosen_N), 1)


def network(weights: Weights, f_NxF: jax.Array) -> jax.Array:
    """Return the network's outputs for features f_NxF, (N, Y)."""
    u_HxF, b_H, w_YxH, c_Y = weights
    return jax.nn.relu(f_NxF @ u_HxF.T + b_H[None]) @ w_YxH.T + c_Y[None]
