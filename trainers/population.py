"""The runs that are trained together: every number of a run is data, with a leading axis over the population."""

import enum
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from flax import struct

from lab.config import Config
from tasks.catalogue import TASKS
from tasks.task import Task


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
    """One run: its keys, its task and the numbers of its training. A population has P in front of every leaf.

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


def members(configs: Sequence[Config]) -> Member:
    """For each configuration, `population.seeds` members that differ in their seed: seed, seed + 1, ...

    The configurations differ in numbers alone (`lab.config.NUMBERS` and the task's).
    """
    each = [_member(config, config.seed + i) for config in configs for i in range(config.population.seeds)]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *each)


def _member(config: Config, seed: int) -> Member:
    numbers = dict(
        learning_rate=config.train.learning_rate,
        init_scale=config.train.init_scale,
        clip_norm=config.train.clip_norm,
        init_std=config.baselines.init_std,
        ridge_penalty=config.baselines.ridge_penalty,
        gd_plus_plus_rate=config.baselines.gd_plus_plus.learning_rate,
    )
    task = TASKS[config.task.name](**vars(config.task))
    return Member(
        key=jax.random.key(seed),
        validation=jax.random.fold_in(jax.random.key(config.eval.seed), VALIDATION),
        task=jax.tree.map(lambda number: jnp.asarray(number, float), task),
        **{name: jnp.asarray(number, float) for name, number in numbers.items()},
    )
