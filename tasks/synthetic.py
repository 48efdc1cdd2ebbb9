"""Synthetic regression: inputs and documents are drawn, and a teacher drawn for each episode gives the targets."""

import abc
from collections.abc import Callable

import jax
import jax.numpy as jnp

from tasks.episode import Episode, Inputs, Prompt
from tasks.flat_random import uniform
from tasks.regression import Regression

Teacher = Callable[[Inputs], jax.Array]  # inputs (B, M, .) -> targets (B, M, Y)


class Synthetic(Regression):
    """Base class of tasks that define `inputs` and `teacher`, and have the settings `tasks.settings.Regression`.

    Inputs of the context and of the queries are separate arrays, since cutting them out of one costs as much as drawing
    it.
    """

    num_queries: int
    input_dim: int
    output_dim: int
    scale: float

    @property
    def answer_dim(self) -> int:
        return self.output_dim

    @abc.abstractmethod
    def inputs(self, key: jax.Array, batch: int) -> tuple[Inputs, Inputs, jax.Array | None]:
        """Return inputs of the context (B, N, .) and of the queries (B, Q, .), and documents (B, K, W) or None."""

    @abc.abstractmethod
    def teacher(self, key: jax.Array, batch: int, documents: jax.Array | None) -> Teacher:
        """Return the function from inputs (B, M, .) to targets (B, M, Y), drawn for each of the B episodes."""

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_inputs, key_teacher = jax.random.split(key)
        context, query, documents = self.inputs(key_inputs, batch)
        teacher = self.teacher(key_teacher, batch, documents)
        return Episode(Prompt(context, teacher(context), query, documents), target=teacher(query))


class UniformInputs(Synthetic):
    """Synthetic regression whose only inputs are x ~ U(-scale, scale)."""

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim),)

    def inputs(self, key: jax.Array, batch: int) -> tuple[Inputs, Inputs, None]:
        counts = (self.num_context, self.num_queries)
        context, query = uniform(key, *((batch, count, self.input_dim) for count in counts))
        return Inputs(self.scale * context), Inputs(self.scale * query), None


def linear(model_BxYxX: jax.Array, x_BxMxX: jax.Array) -> jax.Array:
    """Return W x (B, M, Y) for each example of each episode, W being the episode's model."""
    return jnp.einsum("bmx,byx->bmy", x_BxMxX, model_BxYxX)


def uniform_moments(dim: int, half_width) -> tuple[jax.Array, jax.Array]:
    """Return the second and the fourth moment of U(-a, a), a^2 / 3 and a^4 / 5, as arrays (dim,); `half_width` is a."""
    return jnp.full((dim,), half_width**2 / 3), jnp.full((dim,), half_width**4 / 5)
