"""Synthetic regression: inputs and documents are drawn, and a fresh teacher for each episode gives the targets."""

import abc

import jax
import jax.numpy as jnp

from tasks.episode import Episode, Inputs, split_queries
from tasks.task import Task


class Synthetic(Task):
    @abc.abstractmethod
    def inputs(self, key: jax.Array, batch: int) -> tuple[Inputs, jax.Array | None]:
        """The inputs of context and queries together, (B, N + Q, .), and the documents (B, K, W) or None."""

    @abc.abstractmethod
    def targets(self, key: jax.Array, inputs: Inputs, documents: jax.Array | None) -> jax.Array:
        """The targets (B, N + Q, Y) that a fresh teacher for each episode gives to such inputs."""

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_inputs, key_targets = jax.random.split(key)
        inputs, documents = self.inputs(key_inputs, batch)
        return split_queries(inputs, self.targets(key_targets, inputs, documents), self.num_context, documents)


def uniform_moments(dim: int, half_width) -> tuple[jax.Array, jax.Array]:
    """Second and fourth moment of U(-a, a), a^2 / 3 and a^4 / 5, `dim` times."""
    return jnp.full((dim,), half_width**2 / 3), jnp.full((dim,), half_width**4 / 5)
