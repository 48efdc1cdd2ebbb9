"""The study that the kinds of this family are: layers of all seeds train side by side on the same episodes, and so do
the constants of the learners that they are compared with.
"""

import abc
import functools
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.order import sensitivity
from analysis.metrics.transfer import cosine
from experiments.online import sessions
from experiments.online.curves import LAYER, SEED, STEP, at_step
from experiments.online.measure import errors, measured
from experiments.online.sessions import Makes
from experiments.online.settings import BesideLearners
from lab.layouts.merged import TokenLayout
from lab.learners.given import Optimal
from lab.learners.learner import Learner
from tasks.catalogue import task_of
from tasks.regression import Regression
from trainers.population import at
from trainers.programs import Programs, Stopwatch
from trainers.record import Record
from trainers.session import Session
from trainers.streams import Stream
from trainers.study import Part, Row, Study, blocks_of

OPTIMAL = "optimal"
LOOKS = 10  # measurements of the layers' errors during the training, besides the one before it

Settings = TypeVar("Settings", bound=BesideLearners)
Measured = dict[str, dict[str, np.ndarray]]  # {learner: {measurement: array}}, as `measure.measured` names them


class Beside(Study[Settings], Generic[Settings]):
    """One part per seed; all seeds are trained before the first one is measured."""

    def __init__(self, record: Record[Settings], programs: Programs):
        super().__init__(record)
        self.programs = programs
        self.task = task_of(self.settings.task, Regression)

    @classmethod
    def run_each(cls, records: Sequence[Record[Settings]]) -> None:
        """Run the study of every record with the same compiled programs. Raises as `Study.run`."""
        programs = Programs(Stopwatch(), 0)
        for record in records:
            cls(record, programs).run()

    @classmethod
    def structures(cls, settings: Settings) -> dict[str, Learner]:
        """Return {name: structure} of the layers and learners that a run keeps: `learners` of a kind."""
        layers = sessions.layers(settings, cls.layers(settings)).structures
        return layers | sessions.constants(settings, cls.learners(settings)).structures

    @staticmethod
    @abc.abstractmethod
    def layers(settings: Settings) -> Makes:
        """Return the layers, or stacks of them, that are trained."""

    @staticmethod
    @abc.abstractmethod
    def learners(settings: Settings) -> Makes:
        """Return the learners whose constants are fitted; no layer has the name of one."""

    def run(self) -> None:
        """Measure all seeds, and store the learners. Raises as `Study.run`."""
        super().run()
        for name, each in self.of_all_seeds[0].items():
            self.record.learner(name, each)

    def parts(self) -> Sequence[Part]:
        blocks = blocks_of(self.settings.eval.episodes, self.settings.eval.block)
        return [Part({SEED: seed}, blocks) for seed in self.seeds]

    def measured(self, seed: int) -> Measured:
        """Return the measurements of a seed's learners, and of the optimal one, on its test episodes."""
        settings, place = self.settings, self.seeds.index(seed)
        every: dict[str, Learner] = {OPTIMAL: Optimal(self.task)}
        every |= {name: at(each, place) for name, each in self.of_all_seeds[0].items()}
        return self.blocks(
            "test",
            lambda key: measured(every, self.task, key, settings.eval.block, settings.orders),
            self.key(seed, Stream.test),
            settings.eval.episodes,
            settings.eval.block,
        )

    def curves(self, seed: int) -> list[Row]:
        """Return the rows of a seed's curves: the errors of its layers along the training."""
        return [row for row in self.of_all_seeds[1] if row[SEED] == seed]

    @functools.cached_property
    def of_all_seeds(self) -> tuple[dict[str, Learner], list[Row]]:
        """The trained layers and the learners with fitted constants, each with an axis of seeds in front; and the rows
        of all curves."""
        seeds, session = [*self.seeds], sessions.layers(self.settings, self.layers(self.settings), self.programs)
        every = max(1, -(-self.settings.train.steps // LOOKS))
        layers, curves = self.trained("layers", session, seeds, (every, lambda step: self._look(session, step)))
        fitted = sessions.constants(self.settings, self.learners(self.settings), self.programs)
        constants, _ = self.trained("constants", fitted, seeds, section="constants")
        return layers | constants, curves

    def _look(self, session: Session, step: int) -> list[Row]:
        """Return the errors of the layers as they are now, on the same episodes at every step."""
        keys = jnp.stack([self.key(seed, Stream.validation) for seed in self.seeds])
        now = jax.device_get(errors(session.trained, self.task, keys, self.settings.eval.block))
        return [
            {LAYER: name, STEP: step, SEED: seed, at_step.name: float(each_P[place])}
            for name, each_P in now.items()
            for place, seed in enumerate(self.seeds)
        ]


def layout_of(settings: BesideLearners) -> TokenLayout:
    """Return the layout of the task's tokens."""
    return TokenLayout.of(task_of(settings.task, Regression))


def mean_cosine(one_BxN: np.ndarray, other_BxN: np.ndarray) -> float:
    """Return the mean cosine of two learners' derivatives over episodes."""
    return float(np.mean(cosine(jnp.asarray(one_BxN), jnp.asarray(other_BxN))))


def order_of(one: Mapping[str, np.ndarray]) -> float:
    """Return a learner's order sensitivity from its measurements."""
    return float(sensitivity(jnp.asarray(one["spread"]), jnp.asarray(one["size"])))
