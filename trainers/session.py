"""A population in training: its state, its references and its compiled programs, timed by what they are for."""

import contextlib
import functools
import time
from collections.abc import Callable

import jax
import numpy as np

from analysis.comparison import compare, compare_readouts
from analysis.theory import Oracle, has_oracle, one_step
from lab.config import Config
from lab.errors import UserError
from lab.learners.learner import Learner
from tasks.catalogue import TASKS
from trainers import contestants, meta, references
from trainers.population import members, validation_key


class Stopwatch:
    """Seconds by what they were spent on."""

    def __init__(self):
        self.started = time.perf_counter()
        self.seconds = {"setup": 0.0, "compile": 0.0, "train": 0.0, "evaluate": 0.0}

    @contextlib.contextmanager
    def on(self, name: str):
        begun = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - begun

    def total(self) -> dict[str, float]:
        return self.seconds | {"total": time.perf_counter() - self.started}


class Session:
    """Everything of a run that is on the device. All programs are of one member, vmapped over the population."""

    def __init__(self, config: Config):
        self.config, self.watch = config, Stopwatch()
        self._programs: dict[object, Callable] = {}
        with self.watch.on("setup"):
            self.task = TASKS[config.task.name](**vars(config.task))
            self.population = members(config, self.task)
            self.schedule = meta.Schedule(config.train.steps, config.train.batch_size, config.train.warmup)
        new = contestants.new_transformer(config, self.task)
        self.references = self._run("setup", "references", functools.partial(references.prepare, config))
        self.state = self._run("setup", "begin", lambda member: meta.init(member, self.schedule, new))

    @property
    def learner(self) -> Learner:
        """The Transformers as they are now, with a leading axis over the population."""
        return self.state.learner

    def advance(self, steps: int) -> np.ndarray:
        """Train on, and give the loss of each step's batch, (P, steps)."""
        train = functools.partial(meta.train, schedule=self.schedule, steps=steps)
        self.state, losses = self._run("train", ("train", steps), lambda m, s: train(s, m), self.state)
        return np.asarray(losses)

    def look(self) -> dict:
        """The statistics of a training curve, now."""
        deep = self.config.model.num_layers > 1  # with one layer, GD++ is gradient descent
        return self._compare(contestants.of_the_curve, ("gradient_descent", "gd_plus_plus")[: 1 + deep])

    def conclude(self) -> dict:
        """The statistics of every learner, and of the Transformer's alignment with each."""
        return self._compare(contestants.everyone, None)

    def conclude_by_layer(self) -> dict:
        """The losses of the learners that go by layers or steps, after each of them."""

        def evaluation(member, learner, found):
            learners = contestants.of_the_curve(self.config, member, found, learner)
            key, episodes = validation_key(self.config), self.config.eval.episodes
            return compare_readouts(learners, member.task, key, episodes)

        return jax.device_get(self._run("evaluate", "layers", evaluation, self.learner, self.references))

    def oracle(self) -> Oracle | None:
        """None where the task has no closed form."""
        if not has_oracle(self.task):
            return None
        return jax.device_get(jax.vmap(lambda member: one_step(member.task))(self.population))

    def _compare(self, cast, against) -> dict:
        def evaluation(member, learner, found):
            learners = cast(self.config, member, found, learner)
            others = against or [name for name in learners if name != contestants.SUBJECT]
            key, episodes = validation_key(self.config), self.config.eval.episodes
            return compare(learners, contestants.SUBJECT, others, member.task, key, episodes)

        return jax.device_get(self._run("evaluate", cast, evaluation, self.learner, self.references))

    def _run(self, purpose: str, name: object, function: Callable, *arguments):
        """function(member, *arguments) for every member, compiled at its first call."""
        if name not in self._programs:
            with self.watch.on("compile"):
                lowered = jax.jit(jax.vmap(function)).lower(self.population, *arguments)
                self._programs[name] = lowered.compile()
        try:
            with self.watch.on(purpose):
                return jax.block_until_ready(self._programs[name](self.population, *arguments))
        except jax.errors.JaxRuntimeError as error:
            if "RESOURCE_EXHAUSTED" not in str(error):
                raise
            raise UserError(
                "not enough memory: lower train.batch_size, population.seeds or the sizes of task and model"
            ) from error
