"""The interface of a task: a distribution over episodes, with a loss.

A task is a dataclass of numbers and a JAX pytree: its floats and arrays are leaves (traced, so a population over alpha
or sigma is one compiled program), everything else is static structure. It knows nothing of learners.
"""

import abc
import dataclasses
import math
import typing
from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from tasks.datasets.settings import Data
from tasks.episode import Episode, Prompt
from tasks.settings import Parameters


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


class Shared:
    """Arrays that all members of a population have in common: they have no axis over it."""


@dataclasses.dataclass(frozen=True)
class Source:
    """What a task is drawn from that is not made of numbers alone: for most tasks, nothing.

    statistics: what was fitted to it, to be kept with the run.
    inputs: one row per input column about its values as learners see them; for most tasks, nothing.
    """

    notes: tuple[str, ...] = ()
    inputs: tuple[dict, ...] = ()
    statistics: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)

    @property
    def splits(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """{"train": (x, y), "test": (x, y)} for what is fitted to a whole split; empty where there is none."""
        return {}


class Task(abc.ABC):
    """A distribution over episodes."""

    num_context: int  # N, examples in the context
    answer_dim: int  # A, the width of a learner's answer to one query
    loss_name: ClassVar[str]  # labels axes

    # Whether all training episodes are made of the same rows, so that a model can be fitted to these without a context.
    finite: ClassVar[bool] = False

    # Whether the queries of an episode are its examples, each of which sees those before it, so that no prefix of the
    # context can be shown to all of them: the first ones would see their own answers.
    asks_its_examples: ClassVar[bool] = False

    # Width of one document of an episode; 0 where episodes have none. A task with documents overrides it.
    document_width: int = 0

    @classmethod
    def read(cls, settings: Sequence[Parameters], data: Sequence[Data | None]) -> list[Source]:
        """What the tasks of runs that train together are drawn from, from disk.

        Raises:
            DataError: it cannot be read, or is no good for such a task.
        """
        return [Source() for _ in settings]

    @classmethod
    def together(cls, settings: Sequence[Parameters], sources: Sequence[Source] = ()) -> list["Task"]:
        """The tasks of runs that train together, of what `read` has found."""
        tasks = [cls(**vars(one)) for one in settings]
        return jax.tree.map(lambda number: jnp.asarray(number, float), tasks)

    @property
    @abc.abstractmethod
    def features(self) -> tuple[tuple[str, int], ...]:
        """Which inputs, in which order and how wide, make up the features f of a token (f, y).

        (("x", 10), ("x", 10)) shows x twice.
        """

    @abc.abstractmethod
    def sample(self, key: jax.Array, batch: int) -> Episode:
        """`batch` independent episodes, a pure function of the key and of the task's numbers."""

    def at(self, step: jax.Array) -> "Task":
        """What training draws from and is judged by at that step, itself unless a curriculum says otherwise."""
        return self

    def bytes_of(self, batch: int) -> int:
        """What so many episodes take in memory."""
        one = jax.tree.leaves(jax.eval_shape(lambda: self.sample(jax.random.key(0), 1)))
        return batch * sum(math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in one)

    def evaluations(self) -> dict[str, "Task"]:
        """{name: task} of the distributions that learners are evaluated on. "test" is always among them: the task
        itself, if every episode of it is a new one."""
        return {"test": self}

    def optimal(self, prompt: Prompt) -> jax.Array:
        """The Bayes-optimal answer (Q, A) to one prompt.

        Raises:
            NotImplementedError: it is not known.
        """
        raise NotImplementedError

    def moments(self) -> Moments:
        """Moments of features and teacher.

        Raises:
            NotImplementedError: no closed form is known.
        """
        raise NotImplementedError

    @property
    def scoring(self) -> "Task":
        """The task whose loss is this one's: itself, unless it wraps another."""
        return self

    def shared_retriever(self) -> tuple[jax.Array, jax.Array] | None:
        """W_z (Y, W) and M (X, W) of the model W_z C M^T that documents stand for, where all episodes share them."""
        return None

    @abc.abstractmethod
    def loss(self, answer_QxA: jax.Array, target) -> jax.Array:
        """(Q,): the loss of the answer to each query of one episode."""

    def scores(self, answer_QxA: jax.Array, target) -> dict[str, jax.Array]:
        """{name: (Q,)} of what else answers are judged by, such as accuracy; for most tasks, nothing."""
        return {}


def pytree(cls):
    """Class decorator: a task's fields that are floats or arrays become leaves, its other fields static structure."""
    types = typing.get_type_hints(cls)  # resolves annotations that are strings
    names = [f.name for f in dataclasses.fields(cls)]
    traced = [name for name in names if types[name] is float or issubclass(types[name], jax.Array | Shared)]
    static = [name for name in names if name not in traced]
    return jax.tree_util.register_dataclass(cls, data_fields=traced, meta_fields=static)
