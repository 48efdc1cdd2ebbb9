"""`speed`: the time of a training step at each point, beside its random numbers alone, and a plain forward pass.

Everything runs on one device, whose highest rates are measured once for all points. Where a step is divided into parts
(`trainers.batches`), so are its random numbers.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import jax

from experiments.timing.speed.results import PLAIN, RANDOM, TRAINING, episodes
from experiments.timing.speed.settings import Speed
from lab.learners.learner import Layered, Learner
from tasks.episode import Prompt
from trainers.study import Row
from trainers.timing.ceilings import bare_random, random_words
from trainers.timing.clock import compiled
from trainers.timing.study import Program, TurnsStudy, of_steps
from trainers.timing.training import Training
from trainers.transformers import shape_of

SCORES = 2**27  # a plain forward pass that would compute more attention scores at once is not measured


class PlainForward(Learner):
    """The learner `inner`, whose answers are computed layer by layer, by its method `trace`: the same function."""

    honours_visible = True  # `inner` refuses if it cannot hide examples

    def __init__(self, inner: Learner):
        assert isinstance(inner, Layered)  # as all Transformers are
        self.inner = inner

    def __call__(self, prompt: Prompt) -> jax.Array:
        return self.inner.trace(prompt).readouts[-1]


class SpeedStudy(TurnsStudy[Speed]):
    """One case, a point."""

    SHARES: ClassVar = True

    def cases(self) -> Sequence[Row]:
        self.training = Training(self.settings)
        return [{episodes.name: self.settings.seeds * self.training.recipe.batch_size}]

    def makers(self, case: Row) -> Mapping[str, Callable[[], Program]]:
        settings, training = self.settings, self.training
        task, shape = training.task, shape_of(settings, training.task)
        makers = {
            TRAINING: lambda: training.timed(settings.seconds, **training.counted()),
            RANDOM: lambda: of_steps(settings.seconds, functools.partial(random_numbers, training)),
        }
        scores = shape.num_heads * (task.num_context + getattr(task, "num_queries", 1)) * task.num_context
        if case[episodes.name] * scores <= SCORES:
            return makers | {PLAIN: lambda: Training(settings, PlainForward).timed(settings.seconds)}
        self.record.note(
            "no plain forward pass to compare with: it forms all attention scores, and is measured up to "
            f"{SCORES:,} of them at a time"
        )
        return makers


run = SpeedStudy.run_each


def random_numbers(training: Training, steps: int) -> functools.partial:
    """Return a call that draws as many random numbers as so many training steps do, and nothing else."""
    key, turns, batch = jax.random.key(0), training.turns, training.recipe.batch_size
    numbers = training.settings.seeds * random_words(lambda key: training.task.sample(key, batch), key)
    return functools.partial(compiled(bare_random(-(-numbers // turns), turns * steps), key), key)
