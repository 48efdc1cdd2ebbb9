"""Many devices: a mesh with the axes "population" and "episodes", and how a program's arrays lie on it.

Members of a population need nothing of one another, so splitting it costs no communication; a member's batch is split
where there are more devices than the population can use, at the price of a sum of gradients a step.
"""

import math
from collections.abc import Callable

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from lab.config import Device
from lab.errors import ConfigError
from tasks.episode import Episode
from trainers.population import Member, shared

POPULATION, EPISODES = "population", "episodes"


def mesh_of(wanted: Device, members: int, batch: int) -> Mesh:
    """Over as many of the local devices as divide the population and the batch, the population first.

    Raises:
        ConfigError: `device.population` or `device.episodes` does not divide, or there are too few devices.
    """
    devices = jax.local_devices()
    for key, size, what in ((POPULATION, members, "the population"), (EPISODES, batch, "train.batch_size")):
        if (asked := getattr(wanted, key)) and size % asked:
            raise ConfigError(f"device.{key}={asked}: must divide {what}, {size}")
    left = len(devices) // (wanted.episodes or 1)
    population = wanted.population or math.gcd(left, members)
    episodes = wanted.episodes or math.gcd(len(devices) // population, batch) or 1
    if population * episodes > len(devices):
        raise ConfigError(
            f"device.population={population} device.episodes={episodes}: there are {len(devices)} devices"
        )
    return _mesh(population, episodes)


def alone() -> Mesh:
    """The first device, for what is not split. Evaluations are not: least squares is LAPACK's, and on a CPU's several
    devices its threads can wait for each other for ever (see `lab.learners.ridge`)."""
    return _mesh(1, 1)


def _mesh(population: int, episodes: int) -> Mesh:
    """Of the first local devices."""
    used = jax.local_devices()[: population * episodes]
    return jax.make_mesh((population, episodes), (POPULATION, EPISODES), (AxisType.Auto,) * 2, devices=used)


def place(population: Member, mesh: Mesh) -> Member:
    """Members over their axis; what they share everywhere."""

    def put(leaf):
        return everywhere(leaf, mesh) if shared(leaf) else jax.device_put(leaf, by_member(mesh))

    return jax.tree.map(put, population, is_leaf=shared)


def by_member(mesh: Mesh) -> NamedSharding:
    """How everything lies that has the population's axis in front."""
    return NamedSharding(mesh, PartitionSpec(POPULATION))


def everywhere(tree, mesh: Mesh):
    """The same on every device."""
    return jax.device_put(tree, NamedSharding(mesh, PartitionSpec()))


def spread(mesh: Mesh) -> Callable[[Episode], Episode]:
    """episodes -> the same, a member's batch split over its devices."""
    return lambda episodes: jax.lax.with_sharding_constraint(episodes, NamedSharding(mesh, PartitionSpec(EPISODES)))
