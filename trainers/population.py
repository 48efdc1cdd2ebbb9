"""The population of runs that are trained together: every number of a run is data, with a leading axis over runs."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import jax
import jax.numpy as jnp
from flax import struct

from lab.config.base import Base
from lab.config.identity import iter_settings
from tasks.catalogue import TASKS
from tasks.settings import Parameters
from tasks.task import Shared, Source, Task
from trainers.recipe import HasTraining, Recipe
from trainers.streams import Stream

T = TypeVar("T")  # a tree of arrays


@struct.dataclass
class Member:
    """One seed of a run: its keys, its task, its recipe, and the other numbers of its settings that are traced.

    A population has P in front of every leaf but those that are `Shared`: the tables that its tasks draw from.

    validation: the key of the validation episodes. Every seed has its own, so the spread over seeds is the whole error;
        runs that differ in other settings have the same episodes, so their differences are paired.
    numbers: {key of the command line: value} of traced numbers that belong neither to the task nor to the recipe.
    extra: a tree of arrays with any other starting values that differ by member.
    """

    key: jax.Array
    validation: jax.Array
    task: Task
    recipe: Recipe
    numbers: dict[str, jax.Array]
    extra: Any = None

    def stream(self, stream: Stream) -> jax.Array:
        """Return the key for one use of random numbers."""
        return jax.random.fold_in(self.key, stream)


class HasLayers(Protocol):
    @property
    def num_layers(self) -> int: ...


@runtime_checkable
class Trainable(HasTraining, Protocol):
    """Settings of a kind whose model is trained on a task, with several seeds at once."""

    @property
    def seed(self) -> int: ...

    @property
    def task(self) -> Parameters: ...

    @property
    def model(self) -> HasLayers: ...

    @property
    def seeds(self) -> int: ...


def members(settings: Sequence[Base], sources: Sequence[Source] = ()) -> Member:
    """Return a population with `seeds` members for each of the settings: of the seeds seed, seed + 1, ...

    Args:
        settings: settings that differ in traced numbers alone (`lab.config.identity.program_key`).
        sources: the data of their tasks, for tasks that are not made of numbers alone.

    Raises:
        TypeError: the settings are of a kind that is not `Trainable`.
    """
    runs = [one for one in settings if isinstance(one, Trainable)]
    if len(runs) < len(settings):
        raise TypeError(f"settings of a population need seed, task, train, model and population: {settings}")
    tasks = TASKS[runs[0].task.name].together([one.task for one in runs], sources)
    population = [
        _member(one, Recipe.of(one.train, one.model.num_layers), task.of_seed(one.seed + i), one.seed + i)
        for one, task in zip(runs, tasks, strict=True)
        for i in range(one.seeds)
    ]
    return stacked(population)


def seeded(task: Task, recipe: Recipe, keys: Sequence[jax.Array], extras: Sequence = ()) -> Member:
    """Return members that differ in the key of their run, and in `Member.extra` if given, one per key."""
    recipe = jax.tree.map(_number, recipe)
    return stacked(
        [
            Member(key, jax.random.fold_in(key, Stream.validation), task, recipe, {}, extra)
            for key, extra in zip(keys, extras or [None] * len(keys), strict=True)
        ]
    )


def stacked(trees: Sequence[T]) -> T:
    """Return one tree for several of equal structure, such as members: its arrays have an axis over them in front."""
    return jax.tree.map(
        lambda first, *rest: first if shared(first) else jnp.stack([first, *rest]), *trees, is_leaf=shared
    )


def _member(settings: Base, recipe: Recipe, task: Task, seed: int) -> Member:
    traced = {setting.key: setting.value for setting in iter_settings(settings) if setting.metadata.get("traced")}
    own = {key: value for key, value in traced.items() if isinstance(value, float) and key.split(".")[0] not in APART}
    shift = traced.get("eval.seed", 0)
    assert isinstance(shift, int)  # the schema of the settings says so
    return Member(
        key=jax.random.key(seed),
        validation=jax.random.fold_in(jax.random.key((shift + seed) % 2**31), Stream.validation),
        task=task,
        recipe=jax.tree.map(_number, recipe),
        numbers={key: _number(value) for key, value in own.items()},
    )


APART = ("task", "train")  # sections whose numbers are in the member's task and recipe


def _number(value: float) -> jax.Array:
    return jnp.asarray(value, float)


def at(tree, index):
    """Return the member of an index or, for several indices, a smaller population.

    tree: a population, or any tree whose arrays have the population's axis in front (those that are `Shared` have not).
    """
    return jax.tree.map(lambda leaf: leaf if shared(leaf) else leaf[index], tree, is_leaf=shared)


def vmap_population(function: Callable) -> Callable:
    """Turn function(member, ...) into a function of a whole population that computes all members side by side.

    A single member is not mapped: with an axis of length one a training step takes XLA's CPU code a tenth longer.
    """

    def mapped(population: Member, *rest):
        if len(population.key) == 1:
            result = function(*at((population, *rest), 0))
            return jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], result)
        axes = jax.tree.map(lambda leaf: None if shared(leaf) else 0, (population, *rest), is_leaf=shared)
        return jax.vmap(function, in_axes=axes, spmd_axis_name="population")(population, *rest)

    return mapped


def map_population(function: Callable, population: Member, *rest):
    """Return function(member, ...) of all members, computed one after the other to save memory."""

    def one(index):
        return function(*at((population, *rest), index))

    return jax.lax.map(one, jnp.arange(len(population.key)))


def in_chunks(function: Callable, chunk: int) -> Callable:
    """Turn function(member, ...) into a function of a whole population that computes `chunk` members at a time.

    The last chunk is filled up with copies of the last member, whose results are dropped.
    """

    def mapped(population: Member, *rest):
        size = len(population.key)
        if size <= chunk:
            return vmap_population(function)(population, *rest)
        chunks = -(-size // chunk)
        rows = jnp.minimum(jnp.arange(chunks * chunk), size - 1).reshape(chunks, chunk)

        def some(rows):
            return vmap_population(function)(*at((population, *rest), rows))

        results = jax.lax.map(some, rows)
        return jax.tree.map(lambda leaf: leaf.reshape(chunks * chunk, *leaf.shape[2:])[:size], results)

    return mapped


def shared(node) -> bool:
    """Return whether a node of a tree holds arrays that all members have in common."""
    return isinstance(node, Shared)
