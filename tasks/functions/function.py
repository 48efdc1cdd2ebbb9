"""Base class of classes of functions: the examples of an episode are its queries too, so every prefix is measured.

An episode has one function f of its class and N inputs x_0 .. x_(N-1). Its examples are (x_t, answer to x_t), and its
queries are the same inputs: query t sees the t examples before it. So `Prompt.visible` is a triangle, and a model that
reads the examples once, with a causal mask, answers after every number of examples from 0 to N - 1
(`lab.learners.every_prefix`), as Garg et al. 2022 train.
"""

import abc
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from tasks.episode import Episode, Inputs, Prompt, triangle
from tasks.flat_random import normal
from tasks.task import Task

Weights = Any  # a pytree of arrays that determine one function of a class


class FunctionClass(Task):
    """A class of functions, which defines `draw` and `apply` and inherits from `RealFunctions` or `Labels`, which have
    a loss."""

    asks_its_examples: ClassVar[bool] = True
    input_dim: int

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim),)

    @abc.abstractmethod
    def draw(self, key: jax.Array, count: int) -> Weights:
        """Return `count` independent functions, along the first axis of every leaf."""

    @abc.abstractmethod
    def apply(self, weights: Weights, x_NxX: jax.Array) -> jax.Array:
        """Return f(x) (N,) of one function."""

    @property
    @abc.abstractmethod
    def zero_loss(self) -> jax.Array | float:
        """Return the mean loss of the answer 0, by which errors are divided."""

    def inputs(self, key: jax.Array, batch: int, count: int) -> jax.Array:
        """Return inputs x (B, `count`, X), by default with independent N(0, 1) entries."""
        return normal(key, (batch, count, self.input_dim))[0]

    def values(self, weights: Weights, x_BxNxX: jax.Array) -> jax.Array:
        """Return f(x) (B, N, 1) of one function per episode."""
        return jax.vmap(self.apply)(weights, x_BxNxX)[..., None]

    def episodes(self, x_BxNxX: jax.Array, answers: jax.Array, query_BxNxX: jax.Array, target: jax.Array) -> Episode:
        """Return the episodes with these examples (x, answers), queries and targets; query t sees the t examples
        before it."""
        visible = jnp.broadcast_to(triangle(self.num_context), (len(x_BxNxX), *(self.num_context,) * 2))
        return Episode(Prompt(Inputs(x_BxNxX), answers, Inputs(query_BxNxX), visible=visible), target)
