"""A population in training: its state, its preparations, and its learners at any time. Knows no kind of learner."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import jax
import numpy as np
from flax import struct

from lab.config.base import Device
from lab.learners.learner import Learner
from lab.runs.hosts import split_over_processes
from tasks.task import Shared, Task
from trainers import meta
from trainers.batches import parts_of, together
from trainers.mesh import by_member, everywhere, fetch, mesh_of, one_device, place, shard_batch
from trainers.population import Member, at, in_chunks, map_population, vmap_population
from trainers.programs import Programs, Stopwatch, options_for_one_call
from trainers.recipe import Recipe

Prepared = TypeVar("Prepared")


class Session:
    """The runs of one program on the device. They differ in numbers alone, and train as one population.

    Training goes on for all members at once; evaluations, which hold many episodes, take one member after the other
    (of several processes, each takes its share of the members).

    Args:
        population: P members, the axis in front of every leaf that they do not share.
        prepare: population -> preparations that the learners need before training (rates of baselines, say), any tree
            with the population's axis.
        begin: (member, its preparations) -> {name: state} of all trained learners.
        chunk: members that train side by side; 0 for as many as fit a processor's cache.
        episodes_at_a_time: episodes measured at a time; 0 for as many as are expected to fit into memory.
        training: member -> its training task, if that is not the task on which it is measured.
        label: tells it from other sessions that share its programs.
        one_by_one: whether a CPU trains a member faster alone than beside others, as measured.
        programs: the store of other sessions, so that equal programs are compiled once; None: a store of its own.
    """

    def __init__(
        self,
        population: Member,
        prepare: Callable[[Member], Prepared],
        begin: Callable[[Member, Prepared], dict[str, meta.TrainState]],
        device: Device,
        chunk: int = 0,
        episodes_at_a_time: int = 0,
        training: Callable[[Member], Task] = lambda member: member.task,
        label: str = "",
        programs: Programs | None = None,
        one_by_one: bool = False,
    ):
        self.programs = programs or Programs(Stopwatch(), episodes_at_a_time)
        self.watch, self._label = self.programs.watch, label
        self.changes = 0  # counts changes of the trained state: results computed before a change are old
        self._prepare, self._begin, self._chunk = prepare, vmap_population(begin), chunk
        self._training, self._one_by_one = training, one_by_one
        with self.watch.on("setup"):
            self.members = population  # whole in each of several processes
            self.task: Task = at(population, 0).task
            self.recipe: Recipe = at(population, 0).recipe
            self.mesh = mesh_of(device, 1 if chunk else self.size, self.batch_on_devices)
            self.population = place(population, self.mesh)

    @property
    def batch_on_devices(self) -> int:
        """The number of episodes of a batch that are computed at a time, and can be split over devices."""
        return self.recipe.batch_size // parts_of(self.task, self.recipe.batch_size)

    @property
    def size(self) -> int:
        """P, the members of the population."""
        return len(self.members.key)

    def like(self):
        """The structure, shapes and types of `state`."""

        def state(population: Member):
            prepared = self._prepare(population)
            return prepared, self._begin(population, prepared)

        return jax.eval_shape(state, self.population)

    @property
    def structures(self) -> dict[str, Learner]:
        """{name: structure, with shapes and types} of the trained learners of one member."""

        def of_one(leaf) -> jax.ShapeDtypeStruct:
            return jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype)

        return {name: jax.tree.map(of_one, state.learner) for name, state in self.like()[1].items()}

    def start(self, saved=None) -> None:
        """Prepare and begin, or go on from a saved `state`."""
        self.changes += 1
        if saved is not None:
            self.prepared, self.states = place(saved, self.mesh)
            return
        self.prepared = self.run_each("setup", "prepare", self._prepare, self.population)
        self.states = self.run_each(
            "setup", "begin", self._begin, self.population, self.prepared, **options_for_one_call()
        )

    @property
    def state(self) -> tuple[object, dict[str, meta.TrainState]]:
        """The preparations and the state of training, on the host, with the population in front of every array."""
        return fetch((self.prepared, self.states), self.mesh)

    @property
    def trained(self) -> dict[str, Learner]:
        """The trained learners at this moment, each with a leading axis over the population."""
        return {name: state.learner for name, state in self.states.items()}

    def advance(self, steps: int, longest: int | None = None) -> dict[str, np.ndarray]:
        """Train on, and return {trained learner: loss of each step's batch, (P, steps)}.

        longest: the most steps of any call, by default `steps`. One program serves all calls up to it.
        """
        self.changes += 1
        call, options = self._training_call(steps, longest or steps)
        self.states, losses = self.programs.run(*call, **options)
        return {name: each[:, :steps] for name, each in fetch(losses, self.mesh).items()}

    def compile(self, longest: int) -> None:
        """Compile the program that trains up to `longest` steps at a time. A program that is too large is refused here.

        Raises:
            TooLarge: it takes more memory than there is, or hours.
        """
        call, options = self._training_call(longest, longest)
        self.programs.compile(*call, **options)

    def learners(self, name: str, learners_of: Callable) -> dict[str, Learner]:
        """Return learners_of(member, prepared, trained) of the whole population at this moment, on every host."""

        def learners(population: Member, prepared, trained):
            return map_population(learners_of, population, prepared, trained)

        return fetch(self.run_each("evaluate", name, learners, self.population, self.prepared, self.trained), self.mesh)

    def each_member(self, function: Callable, everyone: dict, indices: Sequence[int] | None = None) -> list:
        """Return [function(index, member, its learners)] for the members of these indices, or for all, computed on the
        first device. Several processes share the work.
        """
        indices = range(self.size) if indices is None else indices

        def call(place: int):
            index = int(indices[place])
            return function(index, *everywhere(at((self.members, everyone), index), one_device()))

        return split_over_processes(call, len(indices))

    def run_each(self, purpose: str, name: object, function: Callable, *arguments, **options):
        """Call `programs.run` for a function whose results all have the population's axis."""
        where = by_member(self.mesh)
        return self.programs.run(purpose, self._labelled(name), function, *arguments, out_shardings=where, **options)

    def _labelled(self, name: object) -> object:
        """Return the name of a program in a store that several sessions share."""
        return (name, self._label) if self._label else name

    def _training_call(self, steps: int, longest: int) -> tuple[tuple, dict]:
        """Return the arguments of `programs.run` for a number of steps."""
        name, numbers = self._labelled(("train", longest)), (self.population, self.states, Steps(np.int32(steps)))
        options = {"turns": longest, "out_shardings": by_member(self.mesh)}
        return ("train", name, self._train(longest), *numbers), options

    def _train(self, longest: int) -> Callable:
        def train(member: Member, states: dict[str, meta.TrainState], steps: Steps):
            task, recipe = self._training(member), member.recipe
            gradient = meta.on_episodes(task, recipe, member.key, shard_batch(self.mesh))
            new_states, losses = {}, {}
            for name, state in states.items():
                new_states[name], losses[name] = meta.take_steps(state, recipe, gradient, longest, steps.number)
            return new_states, losses

        chunk = self._chunk
        if not chunk and self.mesh.size == 1:
            chunk = together(self.task, self.recipe.batch_size, self.size, self._one_by_one)
        return in_chunks(train, chunk) if 0 < chunk < self.size else vmap_population(train)


@struct.dataclass
class Steps(Shared):
    """The number of steps that all members take."""

    number: meta.Count
