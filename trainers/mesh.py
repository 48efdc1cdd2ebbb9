"""Many devices: a mesh with the axes "population" and "episodes", and how a program's arrays lie on it.

Members of a population need nothing of one another, so splitting it costs no communication; a member's batch is split
where there are more devices than the population can use, at the price of a sum of gradients a step.
"""

import math
from collections.abc import Callable

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from lab.config.base import Device
from lab.errors import ConfigError
from lab.runs import hosts
from tasks.episode import Episode
from trainers.population import Member, shared

POPULATION, EPISODES = "population", "episodes"


def mesh_of(wanted: Device, members: int, batch: int) -> Mesh:
    """Over as many of the devices as divide the population and the batch, or the parts of it that are taken at a time
    (`trainers.batches`), the population first; of several processes, over as many of each.

    Raises:
        ConfigError: `device.population` or `device.episodes` does not divide, there are too few devices, or they cannot
            be taken from all processes alike.
    """
    devices = jax.devices()
    for key, size, what in (
        (POPULATION, members, "the population"),
        (EPISODES, batch, "train.batch_size, or its parts"),
    ):
        if (asked := getattr(wanted, key)) and size % asked:
            raise ConfigError(f"device.{key}={asked}: must divide {what}, {size}")
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
            f"{jax.process_count()} processes; give a population.seeds or a train.batch_size that the devices divide"
        )
    firsts: dict[int, list] = {}
    for device in devices:
        firsts.setdefault(device.process_index, []).append(device)
    return _mesh(population, episodes, [device for of in firsts.values() for device in of[:each]])


def one_device() -> Mesh:
    """This process's first device, for what is not split. Evaluations are not: least squares is LAPACK's, and on a
    CPU's several devices its threads can wait for each other for ever (see `lab.learners.ridge`)."""
    return _mesh(1, 1, jax.local_devices()[:1])


def _mesh(population: int, episodes: int, devices: list) -> Mesh:
    return jax.make_mesh((population, episodes), (POPULATION, EPISODES), (AxisType.Auto,) * 2, devices=devices)


def place(population: Member, mesh: Mesh) -> Member:
    """Members over their axis; what they share everywhere. Every process has all of them before."""
    everyone = NamedSharding(mesh, PartitionSpec())
    where = jax.tree.map(lambda leaf: everyone if shared(leaf) else by_member(mesh), population, is_leaf=shared)
    return jax.jit(_as_it_is, out_shardings=where)(population)


def fetch(tree, mesh: Mesh):
    """The numbers of a tree that lies on the mesh, on every host."""
    if hosts.several():  # each has some: first all of it goes everywhere
        tree = jax.jit(_as_it_is, out_shardings=NamedSharding(mesh, PartitionSpec()))(tree)
    return jax.device_get(tree)


def _as_it_is(tree):
    return tree


def by_member(mesh: Mesh) -> NamedSharding:
    """How everything lies that has the population's axis in front."""
    return NamedSharding(mesh, PartitionSpec(POPULATION))


def everywhere(tree, mesh: Mesh):
    """The same on every device."""
    return jax.device_put(tree, NamedSharding(mesh, PartitionSpec()))


def shard_batch(mesh: Mesh) -> Callable[[Episode], Episode]:
    """episodes -> the same, a member's batch split over its devices."""
    return lambda episodes: jax.lax.with_sharding_constraint(episodes, NamedSharding(mesh, PartitionSpec(EPISODES)))
