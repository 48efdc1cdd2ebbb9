"""The runs that are trained together: every number of a run is data, with a leading axis over the population."""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from flax import struct

from lab.config.base import Base
from lab.config.identity import each
from tasks.catalogue import TASKS
from tasks.task import Shared, Source, Task
from trainers.recipe import Recipe
from trainers.streams import Stream


@struct.dataclass
class Member:
    """One run: its keys, its task, its recipe, and the other numbers of its settings that are traced.

    A population has P in front of every leaf but those that are `Shared`: the tables that its tasks draw from.

    validation: the key of the validation episodes. Every seed has its own, so the spread over seeds is the whole error;
        runs that differ in other settings have them in common, so their differences are paired.
    numbers: {key of the command line: value}, of numbers that are neither the task's nor the recipe's.
    """

    key: jax.Array
    validation: jax.Array
    task: Task
    recipe: Recipe
    numbers: dict[str, jax.Array]

    def stream(self, stream: Stream) -> jax.Array:
        """The key for one use of random numbers."""
        return jax.random.fold_in(self.key, stream)


def members(settings: Sequence[Base], sources: Sequence[Source] = ()) -> Member:
    """For each of the settings, `population.seeds` members that differ in their seed: seed, seed + 1, ...

    The settings differ in traced numbers alone (`lab.config.identity.program_key`), and have a task and a recipe.
    sources: what their tasks are drawn from, where that is not made of numbers.
    """
    tasks = TASKS[settings[0].task.name].together([one.task for one in settings], sources)
    population = [
        _member(one, task, one.seed + i)
        for one, task in zip(settings, tasks, strict=True)
        for i in range(one.population.seeds)
    ]
    return _stacked(population)


def seeded(task: Task, recipe: Recipe, keys: Sequence[jax.Array]) -> Member:
    """Return members that differ in the key of their run alone."""
    recipe = jax.tree.map(_number, recipe)
    return _stacked([Member(key, jax.random.fold_in(key, Stream.validation), task, recipe, {}) for key in keys])


def _stacked(population: Sequence[Member]) -> Member:
    return jax.tree.map(
        lambda first, *rest: first if shared(first) else jnp.stack([first, *rest]), *population, is_leaf=shared
    )


def _member(settings: Base, task: Task, seed: int) -> Member:
    traced = {setting.key: setting.value for setting in each(settings) if setting.metadata.get("traced")}
    own = {key: value for key, value in traced.items() if isinstance(value, float) and key.split(".")[0] not in APART}
    return Member(
        key=jax.random.key(seed),
        validation=jax.random.fold_in(jax.random.key((traced.get("eval.seed", 0) + seed) % 2**31), Stream.validation),
        task=task,
        recipe=jax.tree.map(_number, Recipe.of(settings.train, settings.model.num_layers)),
        numbers={key: _number(value) for key, value in own.items()},
    )


APART = ("task", "train")  # these numbers are in the member's task and recipe


def _number(value: float) -> jax.Array:
    return jnp.asarray(value, float)


def at(tree, index):
    """The member with that number, or for several the smaller population: of a population, or of anything whose arrays
    have its axis in front."""
    return jax.tree.map(lambda leaf: leaf if shared(leaf) else leaf[index], tree, is_leaf=shared)


def vmap_population(function: Callable) -> Callable:
    """function(member, ...) -> the same of a whole population, side by side.

    One alone is not mapped: with an axis of length one a training step takes XLA's CPU code a tenth longer.
    """

    def mapped(population: Member, *rest):
        if len(population.key) == 1:
            found = function(*at((population, *rest), 0))
            return jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], found)
        axes = jax.tree.map(lambda leaf: None if shared(leaf) else 0, (population, *rest), is_leaf=shared)
        return jax.vmap(function, in_axes=axes, spmd_axis_name="population")(population, *rest)

    return mapped


def map_population(function: Callable, population: Member, *rest):
    """function(member, ...) of a whole population, one after the other: for what holds many episodes."""

    def one(index):
        return function(*at((population, *rest), index))

    return jax.lax.map(one, jnp.arange(len(population.key)))


def in_chunks(function: Callable, chunk: int) -> Callable:
    """As `vmap_population`, but so many members at a time, the last one more than once if it takes that."""

    def mapped(population: Member, *rest):
        size = len(population.key)
        if size <= chunk:
            return vmap_population(function)(population, *rest)
        chunks = -(-size // chunk)
        rows = jnp.minimum(jnp.arange(chunks * chunk), size - 1).reshape(chunks, chunk)

        def some(rows):
            return vmap_population(function)(*at((population, *rest), rows))

        found = jax.lax.map(some, rows)
        return jax.tree.map(lambda leaf: leaf.reshape(chunks * chunk, *leaf.shape[2:])[:size], found)

    return mapped


def shared(node) -> bool:
    """Whether these are arrays that all members have in common."""
    return isinstance(node, Shared)
