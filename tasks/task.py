"""The interface of a task: a distribution over episodes, with a loss.

A task is a dataclass of numbers and a JAX pytree. Its floats and arrays are leaves (traced, so that runs with different
alpha or sigma share one compiled program), everything else is static structure. It knows nothing of learners.
"""

import abc
import dataclasses
import functools
import math
import typing
from collections.abc import Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from tasks.datasets.settings import Data
from tasks.episode import Episode, Prompt
from tasks.settings import Parameters


@struct.dataclass
class Moments:
    """The moments of a task from which the loss of one step of gradient descent follows, for features with independent
    and symmetric coordinates.

    variance, fourth: (F,) second and fourth moment of each *distinct* feature. teacher: mean squared entry of the
    teacher, whose rows are isotropic. copies: how often the distinct features are repeated side by side in a token.
    """

    variance: jax.Array
    fourth: jax.Array
    teacher: jax.Array | float = 1.0
    copies: int = struct.field(pytree_node=False, default=1)


class Shared:
    """Base class of arrays that all runs of a population share, so that they have no axis over the population."""


@dataclasses.dataclass(frozen=True)
class Source:
    """The data on disk that a task draws from, after it was read; most tasks have none, and all fields are empty.

    notes: remarks for a reader of the results. inputs: one row per input column about its values as learners see them.
    retrieval: rows about what is retrieved.
    statistics: arrays that were fitted to the data, such as means and deviations, which are saved with the run.
    """

    notes: tuple[str, ...] = ()
    inputs: tuple[dict, ...] = ()
    retrieval: tuple[dict, ...] = ()
    statistics: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)

    @property
    def splits(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Return {"train": (x, y), "test": (x, y)} for models that are fitted to a whole split; empty without data."""
        return {}


DERIVED = {  # {method: the methods on which its closed form depends}
    "optimal": {"sample", "teacher", "loss"},
    "moments": {"sample", "teacher", "inputs"},
}


class Task(abc.ABC):
    """A distribution over episodes with a loss."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field]]  # every task is a dataclass: `pytree` makes it one

    num_context: int  # N, examples in the context
    answer_dim: int  # A, the width of a learner's answer to one query

    # True if all training episodes are made of the same rows, so that a model can be fitted to these without a context.
    finite: ClassVar[bool] = False

    # True if the queries of an episode are its examples, each of which sees those before it. Then no prefix of the
    # context can be shown to all queries, since the first ones would see their own answers.
    asks_its_examples: ClassVar[bool] = False

    # Width of one document of an episode; 0 where episodes have none. A task with documents overrides it.
    document_width: int = 0

    def __init_subclass__(cls, **options):
        """Let a class that changes its episodes, or its loss, not inherit what was derived for another task's."""
        super().__init_subclass__(**options)
        for derived, causes in DERIVED.items():
            if derived not in vars(cls) and causes & vars(cls).keys():
                setattr(cls, derived, getattr(Task, derived))

    @classmethod
    def read(cls, settings: Sequence[Parameters], data: Sequence[Data | None]) -> list[Source]:
        """Read the data of runs that train together from disk: one `Source` per run.

        Args:
            settings, data: the settings of each run's task and of its data set (None for a task without data).

        Raises:
            DataError: the data cannot be read, or cannot be used for such a task.
        """
        return [Source() for _ in settings]

    @classmethod
    def together(cls, settings: Sequence[Parameters], sources: Sequence[Source] = ()) -> list[typing.Self]:
        """Return the tasks of runs that train together, one per run, given what `read` returns."""
        tasks = [cls(**vars(one)) for one in settings]
        return jax.tree.map(lambda number: jnp.asarray(number, int if isinstance(number, int) else float), tasks)

    def of_seed(self, seed: int) -> typing.Self:
        """Return the task of one seed of a run: this one, unless it is `tasks.classification.InWorld`."""
        return self

    @property
    @abc.abstractmethod
    def features(self) -> tuple[tuple[str, int], ...]:
        """Return the names and widths of the inputs that make up the features f of a token (f, y), in their order.

        For example (("x", 10), ("x", 10)) shows x twice.
        """

    @abc.abstractmethod
    def sample(self, key: jax.Array, batch: int) -> Episode:
        """Return `batch` independent episodes, a pure function of the key and of the task's numbers."""

    def at(self, step: jax.Array) -> "Task":
        """Return the task that training uses at a step: this one, unless there is a curriculum."""
        return self

    def bytes_of(self, batch: int) -> int:
        """Return the memory that `batch` episodes take, in bytes."""
        leaves, structure = jax.tree.flatten(self)
        return batch * _bytes_of_one(structure, tuple((jnp.shape(leaf), jnp.result_type(leaf)) for leaf in leaves))

    def evaluations(self) -> dict[str, "Task"]:
        """Return {name: task} of the distributions that learners are evaluated on.

        "test" is always among them. It is the task itself if every episode is a new one.
        """
        return {"test": self}

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal answer (Q, A) to one prompt.

        Raises:
            NotImplementedError: it is not known.
        """
        raise NotImplementedError

    def moments(self) -> Moments:
        """Return the moments of features and teacher.

        Raises:
            NotImplementedError: no closed form is known.
        """
        raise NotImplementedError

    @property
    def scoring(self) -> "Task":
        """Return the task that defines the loss: this one, or the innermost one if this wraps another task."""
        return self

    def shared_retriever(self) -> tuple[jax.Array, jax.Array] | None:
        """Return W_z (Y, W) and M (X, W) of the model W_z C M^T of `rag_dot` if all episodes share them, else None."""
        return None

    @abc.abstractmethod
    def loss(self, answer_QxA: jax.Array, target) -> jax.Array:
        """Return the loss (Q,) of the answer to each query of one episode."""

    def scores(self, answer_QxA: jax.Array, target) -> dict[str, jax.Array]:
        """Return {name: (Q,)} of further measures of the answers, such as accuracy; for most tasks there are none."""
        return {}


@functools.cache
def _bytes_of_one(structure: Any, leaves: tuple) -> int:
    """Return the bytes of one episode of a task, given its structure and the (shape, dtype) of each leaf.

    They are found by tracing, which takes 10 ms, and are wanted at every evaluation.
    """
    task = jax.tree.unflatten(structure, [jax.ShapeDtypeStruct(*leaf) for leaf in leaves])
    one = jax.eval_shape(lambda task: task.sample(jax.random.key(0), 1), task)
    return sum(math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in jax.tree.leaves(one))


def pytree(cls):
    """Decorate a task's class: fields that are floats, arrays or marked as traced become leaves, all others static
    structure."""
    types = typing.get_type_hints(cls)  # resolves annotations that are strings
    names = [f.name for f in dataclasses.fields(cls)]
    marked = {f.name for f in dataclasses.fields(cls) if f.metadata.get("traced")}
    traced = [
        name for name in names if types[name] is float or name in marked or issubclass(types[name], jax.Array | Shared)
    ]
    static = [name for name in names if name not in traced]
    return jax.tree_util.register_dataclass(cls, data_fields=traced, meta_fields=static)
