"""Decoders in training on a log: their states on the device, and prompts that are read while it is at work.

It has what `trainers.loop` asks of a session. The seeds of a run are a population: all train side by side, each on
batches of its own, which are a function of (seed, step) alone.
"""

import concurrent.futures

import jax
import jax.numpy as jnp
import numpy as np

from experiments.click_log.settings import ClickLogRun
from experiments.click_log.training import Batch, Member, train
from lab.learners.learner import Learner
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_shape import StreamShape
from tasks.logs.batches import batch_indices
from tasks.logs.log import ClickLog
from tasks.logs.prompts import Prompts
from trainers import meta
from trainers.population import at
from trainers.programs import Programs, Stopwatch
from trainers.recipe import Recipe

DECODER = "decoder"
AHEAD = 4 * 2**20  # bytes of prompts that are handed to the device at a time; as many are read meanwhile


class LogSession:
    def __init__(self, settings: ClickLogRun, log: ClickLog):
        self.watch = Stopwatch()
        self.programs = Programs(self.watch, 0)
        self._settings, self._log = settings, log
        self.prompts = Prompts(log, "train", settings.model.num_context, settings.model.targets)
        self.seeds = [settings.seed + i for i in range(settings.population.seeds)]
        recipe = Recipe.of(settings.train, settings.model.num_layers)
        self._members = Member(
            key=jnp.stack([jax.random.key(seed) for seed in self.seeds]),
            recipe=jax.tree.map(lambda number: jnp.full(self.size, number, float), recipe),
            unknown=jnp.full(self.size, settings.train.unknown),
            unknown_F=jnp.tile(jnp.array([log.starts[column] for column in log.slots]), (self.size, 1)),
        )
        self._chunk = self._steps_ahead()

    @property
    def size(self) -> int:
        """P, how many seeds."""
        return len(self.seeds)

    @property
    def trained(self) -> dict[str, Learner]:
        """The decoder as it is now, with an axis over the seeds in front."""
        return {DECODER: self.states[DECODER].learner}

    @property
    def state(self) -> dict[str, meta.TrainState]:
        """All that training has changed, on the host."""
        return jax.device_get(self.states)

    def like(self) -> dict[str, meta.TrainState]:
        """The structure, shapes and types of `state`."""
        return {DECODER: jax.eval_shape(jax.vmap(self._begin), self._members)}

    @property
    def structures(self) -> dict[str, Learner]:
        """{name: shapes and types} of what is trained, of one seed."""
        return {DECODER: jax.eval_shape(self._begin, jax.tree.map(lambda leaf: leaf[0], self._members)).learner}

    def start(self, saved: dict[str, meta.TrainState] | None = None) -> None:
        """Begin, or go on from a saved `state`."""
        if saved is None:
            self.states = {DECODER: self.programs.run("setup", "begin", jax.vmap(self._begin), self._members)}
        else:
            self.states = jax.tree.map(jnp.asarray, saved)

    def advance(self, steps: int, longest: int | None = None) -> dict[str, np.ndarray]:
        """Train on, and give the loss of each step's batch, (P, steps). One program takes any number of steps."""
        done, end, losses = int(self.states[DECODER].step[0]), 0, []
        end = done + steps
        with concurrent.futures.ThreadPoolExecutor(1) as reader:
            ahead = reader.submit(self._read, done, end)
            while done < end:
                with self.watch.on("train"):  # waiting for the reader is training, too
                    batches, count = ahead.result()
                ahead = reader.submit(self._read, done + count, end)
                state, losses_PxS = self.programs.run(
                    "train", "train", train_seeds, self.states[DECODER], batches, jnp.int32(count), self._members
                )
                self.states = {DECODER: state}
                losses.append(np.asarray(losses_PxS)[:, :count])
                done += count
        return {DECODER: np.concatenate(losses, axis=1)}

    def _read(self, first: int, end: int) -> tuple[Batch, int]:
        """The batches of the steps from `first`, at most those before `end`, of every seed, and how many there are.
        Always of one shape: behind them are zeros."""
        count, size = min(self._chunk, end - first), self._settings.train.batch_size
        interactions, features = self.prompts.num_context + self.prompts.num_targets, len(self._log.slots)
        shape = (self.size, self._chunk, size)
        batches = Batch(
            np.zeros((*shape, interactions, features), np.int32),
            np.zeros((*shape, interactions), np.int32),
            np.zeros((*shape, self.prompts.num_targets), bool),
        )
        for place, seed in enumerate(self.seeds):
            for step in range(count):
                indices = batch_indices(len(self.prompts), seed, first + step, size)
                for name, values in self.prompts.batch(indices).items():
                    getattr(batches, name)[place, step] = values
        return batches, count

    def _steps_ahead(self) -> int:
        """S, the steps of a chunk."""
        train, prompts = self._settings.train, self.prompts
        numbers = (prompts.num_context + prompts.num_targets) * (len(self._log.slots) + 1)
        most = AHEAD // (4 * self.size * train.batch_size * numbers)
        return max(1, min(most, train.eval_every, train.steps))

    def _begin(self, member: Member) -> meta.TrainState:
        shape, model = shape_of(self._settings, self._log), self._settings.model

        def make(key: jax.Array, init_scale: jax.Array) -> StreamDecoder:
            return StreamDecoder(shape, key, init_scale, (model.ymin, model.ymax))

        return meta.begin(make, member.recipe, member.key)


def train_seeds(states: meta.TrainState, batches: Batch, count: jax.Array, members: Member):
    """`training.train` of each seed. One alone is not mapped (as in `trainers.population.vmap_population`)."""
    if len(members.key) > 1:
        return jax.vmap(train, in_axes=(0, 0, None, 0))(states, batches, count, members)
    state, batch, member = at((states, batches, members), 0)
    return jax.tree.map(lambda leaf: leaf[None], train(state, batch, count, member))


def shape_of(settings: ClickLogRun, log: ClickLog) -> StreamShape:
    """The decoder's static structure on this log."""
    model, features = settings.model, {"num_features": len(log.slots), "vocabulary": log.vocabulary_size}
    return StreamShape.of(model, model.num_context, longest=model.targets, **features)
