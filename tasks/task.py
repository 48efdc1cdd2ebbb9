"""The interface of a task: a distribution over episodes, with its own loss.

A task is a dataclass of numbers and a JAX pytree: its floats are leaves (traced, so a population over alpha or sigma is
one compiled program), everything else is static structure. It knows nothing of learners.
"""

import abc
import dataclasses
import typing

import jax
import jax.numpy as jnp
from flax import struct

from tasks.episode import Episode, Inputs, split_queries


@struct.dataclass
class Moments:
    """What one step of gradient descent needs to know of a task, when the features' coordinates are independent and
    symmetric (design 2.5).

    variance, fourth: (F,) second and fourth moment of each *distinct* feature. teacher: mean squared entry of the
    teacher, whose rows are isotropic. copies: how often the distinct features are repeated side by side in a token.
    """

    variance: jax.Array
    fourth: jax.Array
    teacher: jax.Array | float = 1.0
    copies: int = struct.field(pytree_node=False, default=1)


class Task(abc.ABC):
    """A distribution over episodes."""

    # Width of one document of an episode; 0 where episodes have none. A task with documents overrides it.
    document_width: int = 0

    @property
    @abc.abstractmethod
    def features(self) -> tuple[tuple[str, int], ...]:
        """Which inputs, in which order and how wide, make up the features f of a token (f, y).

        (("x", 10), ("x", 10)) shows x twice.
        """

    @abc.abstractmethod
    def inputs(self, key: jax.Array, batch: int) -> tuple[Inputs, jax.Array | None]:
        """The inputs of context and queries together, (B, N + Q, .), and the documents (B, K, W) or None."""

    @abc.abstractmethod
    def targets(self, key: jax.Array, inputs: Inputs, documents: jax.Array | None) -> jax.Array:
        """The targets (B, N + Q, Y) that a fresh teacher for each episode gives to such inputs."""

    def sample(self, key: jax.Array, batch: int) -> Episode:
        """`batch` independent episodes, a pure function of the key and of the task's numbers."""
        key_inputs, key_targets = jax.random.split(key)
        inputs, documents = self.inputs(key_inputs, batch)
        return split_queries(inputs, self.targets(key_targets, inputs, documents), self.num_context, documents)

    @abc.abstractmethod
    def moments(self) -> Moments:
        """Moments of features and teacher; raises NotImplementedError where no closed form is known."""

    @property
    def scoring(self) -> "Task":
        """The task whose loss is this one's: itself, unless it wraps another."""
        return self

    def shared_retriever(self) -> tuple[jax.Array, jax.Array] | None:
        """W_z (Y, W) and M (X, W) of the model W_z C M^T that documents stand for, where all episodes share them."""
        return None

    def loss(self, prediction: jax.Array, target: jax.Array) -> jax.Array:
        """1/2 ||prediction - target||^2, summed over the outputs, averaged over the queries. (Q, Y), (Q, Y) -> ()."""
        return 0.5 * jnp.mean(jnp.sum((prediction - target) ** 2, axis=-1))


def pytree(cls):
    """Class decorator: a task's float fields become leaves, its other fields static structure."""
    types = typing.get_type_hints(cls)  # resolves annotations that are strings
    names = [f.name for f in dataclasses.fields(cls)]
    traced = [name for name in names if types[name] is float]
    static = [name for name in names if types[name] is not float]
    return jax.tree_util.register_dataclass(cls, data_fields=traced, meta_fields=static)


def uniform_moments(dim: int, half_width) -> tuple[jax.Array, jax.Array]:
    """Second and fourth moment of U(-a, a), a^2 / 3 and a^4 / 5, `dim` times."""
    return jnp.full((dim,), half_width**2 / 3), jnp.full((dim,), half_width**4 / 5)
