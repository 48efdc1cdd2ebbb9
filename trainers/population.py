"""The runs that are trained together: every number of a run is data, with a leading axis over the population."""

import enum
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from flax import struct

from lab.config.comparison import Config
from tasks.catalogue import TASKS
from tasks.task import Shared, Source, Task


class Stream(enum.IntEnum):
    """What a run's random numbers are for; each use has a key of its own."""

    parameters = 0
    training = 1
    line_search = 2
    initial_model = 3
    gd_plus_plus = 4


VALIDATION = len(Stream)  # no run's stream


@struct.dataclass
class Member:
    """One run: its keys, its task and the numbers of its training.

    A population has P in front of every leaf but those that are `Shared`: the tables that its tasks draw from.

    validation: the key of the validation episodes. It is the same for every seed, so what differs between seeds is the
    learner.
    """

    key: jax.Array
    validation: jax.Array
    task: Task
    learning_rate: jax.Array
    init_scale: jax.Array
    clip_norm: jax.Array
    init_std: jax.Array
    ridge_penalty: jax.Array
    gd_plus_plus_rate: jax.Array

    def stream(self, stream: Stream) -> jax.Array:
        return jax.random.fold_in(self.key, stream)


def members(configs: Sequence[Config], sources: Sequence[Source] = ()) -> Member:
    """For each configuration, `population.seeds` members that differ in their seed: seed, seed + 1, ...

    The configurations differ in numbers alone (`lab.config.identity.NUMBERS`, TABLES and the task's). sources: what
    their tasks are drawn from, where that is not made of numbers.
    """
    tasks = TASKS[configs[0].task.name].together([config.task for config in configs], sources)
    each = [
        _member(config, task, config.seed + i)
        for config, task in zip(configs, tasks, strict=True)
        for i in range(config.population.seeds)
    ]
    return jax.tree.map(
        lambda first, *rest: first if shared(first) else jnp.stack([first, *rest]), *each, is_leaf=shared
    )


def _member(config: Config, task: Task, seed: int) -> Member:
    numbers = dict(
        learning_rate=config.train.learning_rate,
        init_scale=config.train.init_scale,
        clip_norm=config.train.clip_norm,
        init_std=config.baselines.init_std,
        ridge_penalty=config.baselines.ridge_penalty,
        gd_plus_plus_rate=config.baselines.gd_plus_plus.learning_rate,
    )
    return Member(
        key=jax.random.key(seed),
        validation=jax.random.fold_in(jax.random.key(config.eval.seed), VALIDATION),
        task=task,
        **{name: jnp.asarray(number, float) for name, number in numbers.items()},
    )


def at(tree, index):
    """The member with that number, or for several the smaller population: of a population, or of anything whose arrays
    have its axis in front."""
    return jax.tree.map(lambda leaf: leaf if shared(leaf) else leaf[index], tree, is_leaf=shared)


def vmap_population(function: Callable) -> Callable:
    """function(member, ...) -> the same of a whole population, side by side.

    One alone is not mapped: with an axis of length one a training step takes XLA's CPU code a tenth longer.
    """

    def mapped(population: Member, *rest):
        if len(population.learning_rate) == 1:
            found = function(*at((population, *rest), 0))
            return jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], found)
        own = jax.tree.map(lambda leaf: None if shared(leaf) else 0, population, is_leaf=shared)
        axes = (own, *(0 for _ in rest))
        return jax.vmap(function, in_axes=axes, spmd_axis_name="population")(population, *rest)

    return mapped


def map_population(function: Callable, population: Member, *rest):
    """function(member, ...) of a whole population, one after the other: for what holds many episodes."""

    def one(index):
        return function(*at((population, *rest), index))

    return jax.lax.map(one, jnp.arange(len(population.learning_rate)))


def in_chunks(function: Callable, chunk: int) -> Callable:
    """As `vmap_population`, but so many members at a time, the last one more than once if it takes that."""

    def mapped(population: Member, *rest):
        size = len(population.learning_rate)
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
