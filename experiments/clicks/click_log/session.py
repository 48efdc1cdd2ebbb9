"""Decoders in training on a log: a session whose batches come from the host, and are read while the device is at work.

The seeds of a run are a population: all train side by side, each on batches of its own, which are a function of (seed,
step) alone.
"""

import concurrent.futures
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from experiments.clicks.click_log.prompts import Prompts, batch_indices
from experiments.clicks.click_log.settings import ClickLogRun
from experiments.clicks.click_log.training import Batch, Hiding, train
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_shape import StreamShape
from tasks.episode import Episode
from tasks.logs.log import ClickLog
from tasks.task import Task, pytree
from trainers import meta
from trainers.population import Member, seeded, vmap_population
from trainers.recipe import Recipe
from trainers.session import Session, Steps

DECODER = "decoder"
AHEAD = 4 * 2**20  # bytes of prompts that are handed to the device at a time; as many are read meanwhile


@pytree
@dataclasses.dataclass
class NoTask(Task):
    """The task of a population whose prompts are read from a log: nothing is drawn from it."""

    num_context: int = 0
    answer_dim: int = 2

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return ()

    def sample(self, key: jax.Array, batch: int) -> Episode:
        raise NotImplementedError("prompts are read from a log, and not drawn by a task")

    def loss(self, answer_QxA: jax.Array, target) -> jax.Array:
        raise NotImplementedError("the loss of a log's prompts is in experiments.clicks.click_log.training")


class LogSession(Session):
    """The session of one run.

    Args:
        settings: of the run.
        log: what its prompts are read from.
    """

    def __init__(self, settings: ClickLogRun, log: ClickLog):
        self._settings, self._log = settings, log
        self.prompts = Prompts(log, "train", settings.model.num_context, settings.model.targets)
        self.seeds = [settings.seed + i for i in range(settings.seeds)]
        recipe = Recipe.of(settings.train, settings.model.num_layers)
        unknown_F = jnp.array([log.starts[column] for column in log.slots])
        hiding = Hiding(jnp.asarray(settings.train.unknown, float), unknown_F)
        keys = [jax.random.key(seed) for seed in self.seeds]
        population = seeded(NoTask(), recipe, keys, [hiding] * len(keys))
        super().__init__(population, lambda member: None, self._begin_one, settings.device)
        self._steps = self._steps_ahead()

    @property
    def batch_on_devices(self) -> int:
        """A batch is not split over devices."""
        return 1

    def compile(self, longest: int) -> None:
        """Do nothing: the batches come from the host, and their program is compiled at its first call."""

    def advance(self, steps: int, longest: int | None = None) -> dict[str, np.ndarray]:
        """Train on, and return the loss of each step's batch, (P, steps). One program takes any number of steps."""
        self.changes += 1
        done, losses = int(self.states[DECODER].step[0]), []
        end = done + steps
        with concurrent.futures.ThreadPoolExecutor(1) as reader:
            ahead = reader.submit(self._read, done, end)
            while done < end:
                with self.watch.on("train"):  # waiting for the reader is training, too
                    batches, count = ahead.result()
                ahead = reader.submit(self._read, done + count, end)
                arguments = self.population, self.states, batches, Steps(np.int32(count))
                self.states, losses_PxS = self.run_each("train", "train", vmap_population(_train_one), *arguments)
                losses.append(np.asarray(losses_PxS)[:, :count])
                done += count
        return {DECODER: np.concatenate(losses, axis=1)}

    def _read(self, first: int, end: int) -> tuple[Batch, int]:
        """Return the batches of the steps from `first`, at most those before `end`, of every seed, and how many there
        are. Always of one shape: the rest are zeros."""
        count, size = min(self._steps, end - first), self._settings.train.batch_size
        interactions, features = self.prompts.num_context + self.prompts.num_targets, len(self._log.slots)
        shape = (self.size, self._steps, size)
        arrays = {
            "features": np.zeros((*shape, interactions, features), np.int32),
            "label": np.zeros((*shape, interactions), np.int32),
            "is_target": np.zeros((*shape, self.prompts.num_targets), bool),
        }
        for place, seed in enumerate(self.seeds):
            for step in range(count):
                indices = batch_indices(len(self.prompts), seed, first + step, size)
                for name, values in self.prompts.batch(indices).items():
                    arrays[name][place, step] = values
        return Batch(**arrays), count

    def _steps_ahead(self) -> int:
        """Return S, the steps whose batches are handed over at a time."""
        recipe, prompts = self._settings.train, self.prompts
        numbers = (prompts.num_context + prompts.num_targets) * (len(self._log.slots) + 1)
        most = AHEAD // (4 * self.size * recipe.batch_size * numbers)
        return max(1, min(most, recipe.eval_every, recipe.steps))

    def _begin_one(self, member: Member, prepared: None) -> dict[str, meta.TrainState]:
        shape, model = shape_of(self._settings, self._log), self._settings.model

        def make(key: jax.Array, init_scale: jax.Array) -> StreamDecoder:
            return StreamDecoder(shape, key, init_scale, (model.ymin, model.ymax), model.slope)

        return {DECODER: meta.begin(make, member.recipe, member.key)}


def _train_one(member: Member, states: dict[str, meta.TrainState], batches: Batch, steps: Steps):
    state, losses_S = train(states[DECODER], batches, steps.number, member)
    return {DECODER: state}, losses_S


def shape_of(settings: ClickLogRun, log: ClickLog) -> StreamShape:
    """Return the decoder's static structure on this log."""
    model, features = settings.model, {"num_features": len(log.slots), "vocabulary": log.vocabulary_size}
    return StreamShape.of(model, model.num_context, longest=model.targets, **features)
