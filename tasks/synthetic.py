"""Synthetic regression: inputs and documents are drawn, and a fresh teacher for each episode gives the targets."""

import abc
from collections.abc import Callable

import jax
import jax.numpy as jnp

from tasks.draw import uniform
from tasks.episode import Episode, Inputs, Prompt
from tasks.regression import Regression

Teacher = Callable[[Inputs], jax.Array]  # inputs (B, M, .) -> targets (B, M, Y)


class Synthetic(Regression):
    """Context and queries are drawn apart, since cutting them out of one array costs as much as drawing it."""

    @property
    def answer_dim(self) -> int:
        return self.output_dim

    @abc.abstractmethod
    def inputs(self, key: jax.Array, batch: int) -> tuple[Inputs, Inputs, jax.Array | None]:
        """The inputs of the context (B, N, .) and of the queries (B, Q, .), and the documents (B, K, W) or None."""

    @abc.abstractmethod
    def teacher(self, key: jax.Array, batch: int, documents: jax.Array | None) -> Teacher:
        """A fresh one for each episode."""

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_inputs, key_teacher = jax.random.split(key)
        context, query, documents = self.inputs(key_inputs, batch)
        teacher = self.teacher(key_teacher, batch, documents)
        return Episode(Prompt(context, teacher(context), query, documents), target=teacher(query))


class UniformInputs(Synthetic):
    """x ~ U(-scale, scale) and nothing else; settings give `input_dim`, `num_context`, `num_queries` and `scale`."""

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim),)

    def inputs(self, key: jax.Array, batch: int) -> tuple[Inputs, Inputs, None]:
        counts = (self.num_context, self.num_queries)
        context, query = uniform(key, *((batch, count, self.input_dim) for count in counts))
        return Inputs(self.scale * context), Inputs(self.scale * query), None


def linear(model_BxYxX: jax.Array, x_BxMxX: jax.Array) -> jax.Array:
    """W x (B, M, Y) of each example of each episode."""
    return jnp.einsum("bmx,byx->bmy", x_BxMxX, model_BxYxX)


def uniform_moments(dim: int, half_width) -> tuple[jax.Array, jax.Array]:
    """Second and fourth moment of U(-a, a), a^2 / 3 and a^4 / 5, `dim` times."""
    return jnp.full((dim,), half_width**2 / 3), jnp.full((dim,), half_width**4 / 5)
