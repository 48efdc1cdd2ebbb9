"""What classes of functions share: episodes whose examples are the queries too, so that every prefix is measured.

An episode has one function f of its class and N inputs x_1 .. x_N. Its examples are (x_t, f(x_t) + noise), and its
queries are the same inputs: query t sees the t examples before it, and its target is f(x_t) without noise. So
`Prompt.visible` is a triangle, and a model that reads the examples once, with a causal mask, answers after every number
of examples from 0 to N - 1 (`lab.learners.every_prefix`), as Garg et al. 2022 train.
"""

import abc
from typing import Any

import jax
import jax.numpy as jnp

from tasks.draw import normal
from tasks.episode import Episode, Inputs, Prompt
from tasks.task import Task
from tasks.visible import triangle

Weights = Any  # what tells one function of a class from another, a pytree


class FunctionClass(Task):
    """Classes define `draw`, `apply` and `second_moment`, and mix in a loss."""

    input_dim: int
    noise: float

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim),)

    @property
    def answer_dim(self) -> int:
        return 1

    @abc.abstractmethod
    def draw(self, key: jax.Array, count: int) -> Weights:
        """`count` independent functions, in front of every leaf."""

    @abc.abstractmethod
    def apply(self, weights: Weights, x_NxX: jax.Array) -> jax.Array:
        """f (N,) of one function."""

    @property
    @abc.abstractmethod
    def second_moment(self) -> jax.Array | float:
        """E f(x)^2 over functions and inputs: the squared error of the answer 0, by which errors are divided."""

    def inputs(self, key: jax.Array, batch: int, count: int) -> jax.Array:
        """(B, N, X), as the class has them: independent N(0, 1)."""
        return normal(key, (batch, count, self.input_dim))[0]

    def values(self, weights: Weights, x_BxNxX: jax.Array) -> jax.Array:
        """f (B, N, 1) of one function per episode."""
        return jax.vmap(self.apply)(weights, x_BxNxX)[..., None]

    def answers(self, key: jax.Array, value_BxNx1: jax.Array) -> jax.Array:
        """What the context shows of those values: with noise of standard deviation `noise`."""
        return value_BxNx1 + self.noise * normal(key, value_BxNx1.shape)[0]

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_functions, key_inputs, key_noise = jax.random.split(key, 3)
        x_BxNxX = self.inputs(key_inputs, batch, self.num_context)
        value_BxNx1 = self.values(self.draw(key_functions, batch), x_BxNxX)
        return self.episodes(x_BxNxX, self.answers(key_noise, value_BxNx1), x_BxNxX, value_BxNx1)

    def episodes(self, x_BxNxX: jax.Array, answers: jax.Array, query_BxNxX: jax.Array, target: jax.Array) -> Episode:
        """Query t sees the t examples before it."""
        visible = jnp.broadcast_to(triangle(self.num_context), (len(x_BxNxX), *(self.num_context,) * 2))
        return Episode(Prompt(Inputs(x_BxNxX), answers, Inputs(query_BxNxX), visible=visible), target)
