"""The runs that are trained together: every number of a run is data, with a leading axis over the population."""

import enum

import jax
import jax.numpy as jnp
from flax import struct

from lab.config import Config
from tasks.task import Task


class Stream(enum.IntEnum):
    """What a run's random numbers are for; each use has a key of its own."""

    parameters = 0
    training = 1
    line_search = 2
    initial_model = 3
    gd_plus_plus = 4


@struct.dataclass
class Member:
    """One run: its key, its task and the numbers of its training. A population has P in front of every leaf."""

    key: jax.Array
    task: Task
    learning_rate: jax.Array
    init_scale: jax.Array
    clip_norm: jax.Array
    init_std: jax.Array
    ridge_penalty: jax.Array

    def stream(self, stream: Stream) -> jax.Array:
        return jax.random.fold_in(self.key, stream)


def validation_key(config: Config) -> jax.Array:
    """Of the validation episodes, which are the same for every seed: what differs between seeds is then the learner."""
    apart = len(Stream)  # no run's stream
    return jax.random.fold_in(jax.random.key(config.eval.seed), apart)


def members(config: Config, task: Task) -> Member:
    """`population.seeds` members that differ in their seed: seed, seed + 1, ..."""
    seeds = jnp.arange(config.seed, config.seed + config.population.seeds, dtype=jnp.uint32)
    numbers = dict(
        task=task,
        learning_rate=config.train.learning_rate,
        init_scale=config.train.init_scale,
        clip_norm=config.train.clip_norm,
        init_std=config.baselines.init_std,
        ridge_penalty=config.baselines.ridge_penalty,
    )
    shared = jax.tree.map(lambda number: jnp.full(seeds.shape, number, dtype=float), numbers)
    return Member(key=jax.vmap(jax.random.key)(seeds), **shared)
