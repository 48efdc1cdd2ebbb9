"""A population in training: its state, its references, and what its learners are at any time."""

import functools
import time
from collections.abc import Callable, Sequence

import jax
import numpy as np
from jax.sharding import Mesh

from analysis.metrics.answers import compare, drawn, sizes
from analysis.metrics.theory import Oracle, has_oracle, one_step
from lab.config.comparison import Config
from lab.learners.learner import Learner
from lab.runs.hosts import on_first_process, split_over_processes
from tasks.task import Source, Task
from trainers import meta
from trainers.batches import parts_of, together
from trainers.experiments.comparison import baselines, circuits, references, shifts
from trainers.mesh import alone, by_member, everywhere, fetch, mesh_of, place, spread
from trainers.population import Member, at, in_chunks, map_population, members, vmap_population
from trainers.programs import Programs, Stopwatch


class Session:
    """Everything of a program that is on the device: its runs differ in numbers alone, and train as one population.

    Training goes on for all members at once; evaluations, which hold many episodes, take one member after the other
    (of several processes, each takes its share of the members).
    """

    def __init__(
        self,
        configs: Sequence[Config],
        sources: Sequence[Source] = (),
        restore: Callable[[object], object | None] = lambda like: None,
    ):
        """`restore(like)` may give a saved `state`, with the structure, shapes and types of `like`, to go on from."""
        self.config, self.watch = configs[0], Stopwatch()
        self.programs = Programs(self.watch, self.config.eval.chunk)
        with self.watch.on("setup"):
            self._here = members(configs, sources)  # also in each of several processes
            self.task, train = at(self._here, 0).task, self.config.train
            at_a_time = train.batch_size // parts_of(self.task, train.batch_size)
            split = 1 if self.config.population.chunk else self.size
            self.mesh = mesh_of(self.config.device, split, at_a_time)
            self.population = place(self._here, self.mesh)
            self.recipe = meta.Recipe(train.steps, train.batch_size, train.warmup, train.optimizer)
            prepare, begin = functools.partial(references.prepare, self.config), vmap_population(self._begin)
        if saved := restore(jax.eval_shape(lambda p: (found := prepare(p), begin(p, found)), self.population)):
            self.references, self.states = place(saved, self.mesh)
            return
        self.references = self._run_each("setup", "references", prepare, self.population)
        self.states = self._run_each("setup", "begin", begin, self.population, self.references)

    @property
    def state(self) -> tuple[baselines.References, dict[str, meta.TrainState]]:
        """All that training has changed and will need, on the host: every number has the population in front."""
        return fetch((self.references, self.states), self.mesh)

    @property
    def size(self) -> int:
        """P, the members of the population."""
        return len(self._here.learning_rate)

    @property
    def trained(self) -> dict[str, Learner]:
        """What is trained as it is now, each with a leading axis over the population."""
        return {name: state.learner for name, state in self.states.items()}

    def advance(self, steps: int) -> dict[str, np.ndarray]:
        """Train on, and give for all that is trained the loss of each step's batch, (P, steps)."""
        train = self._train(steps, self.mesh)
        self.states, losses = self._run_each("train", ("train", steps), train, self.population, self.states)
        return fetch(losses, self.mesh)

    def look(self) -> dict:
        """The statistics of a training curve, now; every number has the population in front."""
        return self._compare(baselines.of_the_curve, lambda member: [member.task.evaluations()["test"]])[0]

    def final_evaluation(self, curve: dict) -> dict:
        """The statistics of every learner, and of the Transformer's alignment with each; `curve` is the last look."""
        (end,) = self._compare(baselines.of_the_end, lambda member: [member.task.evaluations()["test"]])
        return curve | {kind: curve[kind] | end[kind] for kind in ("loss", "alignment")}

    def evaluate_shifts(self) -> list[dict]:
        """The statistics of the curve's learners at each of `shifts.places`."""
        return self._compare(baselines.of_the_curve, lambda member: shifts.tasks(self.config, member.task))

    def inspect(self, members: Sequence[int]) -> list[dict]:
        """What is inside the trained Transformers of these members, on the first of the validation episodes."""
        everyone = self._appear(baselines.of_the_curve)
        run, looked = functools.partial(self.programs.run, "evaluate"), functools.partial(circuits.look, self.config)

        def of(index: int) -> dict:
            member, learners = self._one(members[index], everyone)
            task = member.task.evaluations()["test"]
            _, size = sizes(task, self.config.eval.episodes)
            episodes = drawn(task, member.validation, 0, size, run)
            fit = self.programs.fit("circuits", looked, learners, task.scoring, episodes)
            episodes = jax.tree.map(lambda leaf: leaf[:fit], episodes)
            return jax.device_get(run("circuits", looked, learners, task.scoring, episodes))

        return split_over_processes(of, len(members))

    def oracle(self) -> Oracle | None:
        """None where the task has no closed form."""
        if not has_oracle(self.task):
            return None
        return jax.device_get(vmap_population(lambda member: one_step(member.task))(self._here))

    def seconds_alone(self, steps: int) -> float:
        """What `steps` steps take that train one member of the population, its compilation not counted."""
        one = at((self._here, fetch(self.states, self.mesh)), slice(1))
        return self._clock(one, steps)

    @on_first_process
    def _clock(self, one, steps: int) -> float:
        one = everywhere(one, mesh := alone())
        train = jax.jit(self._train(steps, mesh)).lower(*one).compile()
        begun = time.perf_counter()
        jax.block_until_ready(train(*one))
        return time.perf_counter() - begun

    def _train(self, steps: int, mesh: Mesh) -> Callable:
        def train(member: Member, states: dict[str, meta.TrainState]):
            rest = (member, self.recipe, steps, spread(mesh))
            done = {name: meta.train(state, *rest) for name, state in states.items()}
            return tuple({name: of[part] for name, of in done.items()} for part in (0, 1))  # states, losses

        chunk = self.config.population.chunk
        if not chunk and mesh.size == 1:
            chunk = together(self.task, self.config.train.batch_size, self.size)
        return in_chunks(train, chunk) if chunk else vmap_population(train)

    def _begin(self, member: Member, found: baselines.References) -> dict[str, meta.TrainState]:
        trainees = baselines.trainees(self.config, member, found)
        return {name: meta.init(member, self.recipe, make) for name, make in trainees.items()}

    def _compare(self, cast: Callable, tasks_of: Callable[[Member], list[Task]]) -> list[dict]:
        """The comparison of a cast of learners on each of a member's tasks; a program for each shape of episodes."""
        settings, everyone = self.config.eval, self._appear(cast)
        how = (settings.episodes, functools.partial(self.programs.run, "evaluate"), self.programs.fit)

        def of(index: int) -> list[dict]:
            member, learners = self._one(index, everyone)
            compared = functools.partial(compare, learners, baselines.SUBJECT)
            return [compared(task, member.validation, *how) for task in tasks_of(member)]

        return jax.tree.map(lambda *members: np.stack(members), *split_over_processes(of, self.size))

    def _appear(self, cast: Callable) -> dict[str, Learner]:
        """A cast of learners as they are now, each with a leading axis over the population, on every host."""
        appear = functools.partial(map_population, functools.partial(cast, self.config))
        everyone = self._run_each("evaluate", cast.__name__, appear, self.population, self.references, self.trained)
        return fetch(everyone, self.mesh)

    def _one(self, index: int, everyone: dict[str, Learner]) -> tuple[Member, dict[str, Learner]]:
        """A member and its learners, on the first device."""
        return everywhere(at((self._here, everyone), index), alone())

    def _run_each(self, purpose: str, name: object, function: Callable, *arguments):
        """As `programs.run`, for what gives the population's axis to everything."""
        return self.programs.run(purpose, name, function, *arguments, out_shardings=by_member(self.mesh))
