"""Places a program's arrays on many devices: a mesh with the axes "population" and "episodes".

Members of a population need nothing from one another, so splitting the population costs no communication. If there are
more devices than members can use, each member's batch is split too, which costs one sum of gradients over devices per
step.
"""

import math
from collections.abc import Callable
from typing import TypeVar

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from lab.config.base import Device
from lab.errors import ConfigError
from lab.runs import hosts
from tasks.episode import Episode
from trainers.population import shared

POPULATION, EPISODES = "population", "episodes"
T = TypeVar("T")


def mesh_of(wanted: Device, members: int, batch: int) -> Mesh:
    """Return a mesh over as many devices as divide the population and then the batch.

    With several processes, the mesh has the same number of devices of each.

    Args:
        members: the size of the population.
        batch: episodes per step, or per part of a batch that is divided (`trainers.batches`).

    Raises:
        ConfigError: `device.population` or `device.episodes` does not divide its size, there are too few devices, or
            the processes cannot have the same number of devices each.
    """
    devices = jax.devices()
    for key, size, what in (
        (POPULATION, members, "the population"),
        (EPISODES, batch, "train.batch_size, or its parts"),
    ):
        if (count := getattr(wanted, key)) and size % count:
            raise ConfigError(f"device.{key}={count}: must divide {what}, {size}")
    left = len(devices) // (wanted.episodes or 1)
    population = wanted.population or math.gcd(left, members)
    episodes = wanted.episodes or math.gcd(len(devices) // population, batch) or 1
    if population * episodes > len(devices):
        raise ConfigError(
            f"device.population={population} device.episodes={episodes}: there are {len(devices)} devices"
        )
    each, rest = divmod(population * episodes, jax.process_count())
    if rest:
        raise ConfigError(
            f"hosts: the population and its batches fill {population} x {episodes} devices, and not as many of each of "
            f"{jax.process_count()} processes; give a seeds or a train.batch_size that the devices divide"
        )
    by_process: dict[int, list] = {}
    for device in devices:
        by_process.setdefault(device.process_index, []).append(device)
    return _mesh(population, episodes, [device for owned in by_process.values() for device in owned[:each]])


def one_device() -> Mesh:
    """Return a mesh of this process's first device alone, for programs that are not split, such as evaluations.

    Their least squares is LAPACK's, whose threads can wait for each other for ever on a CPU's several devices (see
    `lab.learners.ridge`).
    """
    return _mesh(1, 1, jax.local_devices()[:1])


def _mesh(population: int, episodes: int, devices: list) -> Mesh:
    return jax.make_mesh((population, episodes), (POPULATION, EPISODES), (AxisType.Auto,) * 2, devices=devices)


def place(population: T, mesh: Mesh) -> T:
    """Split the members of a population, or of any tree with its axis in front, over the mesh, and copy the arrays that
    they share to every device.

    Before the call every process must have the whole population.
    """
    replicated = NamedSharding(mesh, PartitionSpec())
    shardings = jax.tree.map(lambda leaf: replicated if shared(leaf) else by_member(mesh), population, is_leaf=shared)
    return jax.jit(_identity, out_shardings=shardings)(population)


def fetch(tree, mesh: Mesh):
    """Return a tree that lies on the mesh as NumPy arrays on every host."""
    if hosts.several():  # each process has a part, so the whole tree is first copied to every device
        tree = jax.jit(_identity, out_shardings=NamedSharding(mesh, PartitionSpec()))(tree)
    return jax.device_get(tree)


def _identity(tree):
    return tree


def by_member(mesh: Mesh) -> NamedSharding:
    """Return the sharding of arrays that have the population's axis in front."""
    return NamedSharding(mesh, PartitionSpec(POPULATION))


def everywhere(tree, mesh: Mesh):
    """Copy a tree to every device of the mesh."""
    return jax.device_put(tree, NamedSharding(mesh, PartitionSpec()))


def shard_batch(mesh: Mesh) -> Callable[[Episode], Episode]:
    """Return a function that splits a member's batch of episodes over the member's devices."""
    return lambda episodes: jax.lax.with_sharding_constraint(episodes, NamedSharding(mesh, PartitionSpec(EPISODES)))
