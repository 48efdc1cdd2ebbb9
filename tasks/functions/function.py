"""What classes of functions share: episodes whose examples are the queries too, so that every prefix is measured.

An episode has one function f of its class and N inputs x_1 .. x_N. Its examples are (x_t, answer to x_t), and its
queries are the same inputs: query t sees the t examples before it. So `Prompt.visible` is a triangle, and a model that
reads the examples once, with a causal mask, answers after every number of examples from 0 to N - 1
(`lab.learners.every_prefix`), as Garg et al. 2022 train.
"""

import abc
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from tasks.draw import normal
from tasks.episode import Episode, Inputs, Prompt
from tasks.task import Task
from tasks.visible import triangle

Weights = Any  # what tells one function of a class from another, a pytree


class FunctionClass(Task):
    """Classes define `draw` and `apply`, and are `RealFunctions` or `Labels`, which have a loss."""

    asks_its_examples: ClassVar[bool] = True
    input_dim: int

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim),)

    @abc.abstractmethod
    def draw(self, key: jax.Array, count: int) -> Weights:
        """`count` independent functions, in front of every leaf."""

    @abc.abstractmethod
    def apply(self, weights: Weights, x_NxX: jax.Array) -> jax.Array:
        """f (N,) of one function."""

    @property
    @abc.abstractmethod
    def zero_loss(self) -> jax.Array | float:
        """The mean loss of the answer 0, by which errors are divided."""

    def inputs(self, key: jax.Array, batch: int, count: int) -> jax.Array:
        """(B, N, X), as the class has them: independent N(0, 1)."""
        return normal(key, (batch, count, self.input_dim))[0]

    def values(self, weights: Weights, x_BxNxX: jax.Array) -> jax.Array:
        """f (B, N, 1) of one function per episode."""
        return jax.vmap(self.apply)(weights, x_BxNxX)[..., None]

    def episodes(self, x_BxNxX: jax.Array, answers: jax.Array, query_BxNxX: jax.Array, target: jax.Array) -> Episode:
        """Query t sees the t examples before it."""
        visible = jnp.broadcast_to(triangle(self.num_context), (len(x_BxNxX), *(self.num_context,) * 2))
        return Episode(Prompt(Inputs(x_BxNxX), answers, Inputs(query_BxNxX), visible=visible), target)
