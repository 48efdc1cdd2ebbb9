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
from experiments.online.curves import LAYER, SEED, STEP, at_step
from experiments.online.measure import errors, measured
from experiments.online.settings import BesideLearners, ConstantsTrain, LayersTrain
from lab.config.training import seeds_of
from lab.layouts.merged import TokenLayout
from lab.learners.given import Optimal
from lab.learners.learner import Learner
from tasks.catalogue import task_of
from tasks.regression import Regression
from trainers import meta
from trainers.population import Member, at, seeded
from trainers.programs import Programs, Stopwatch
from trainers.recipe import Recipe
from trainers.record import Record
from trainers.session import Session
from trainers.streams import Stream
from trainers.study import Part, Row, Study, blocks_of

OPTIMAL = "optimal"
LOOKS = 10  # measurements of the layers' errors during the training, besides the one before it

Settings = TypeVar("Settings", bound=BesideLearners)
Makes = Mapping[str, meta.Make]  # {name: (key, init_scale) -> an untrained learner}
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
        return {name: each for session in cls.sessions(settings) for name, each in session.structures.items()}

    @classmethod
    def sessions(cls, settings: Settings, programs: Programs | None = None) -> tuple[Session, Session]:
        """Return the session that trains all layers of all seeds, and the one that fits the learners' constants.

        Args:
            programs: of earlier sessions, used again.
        """
        task, keys = task_of(settings.task, Regression), [jax.random.key(seed) for seed in seeds_of(settings)]

        def session_of(label: str, train: LayersTrain | ConstantsTrain, makes: Makes) -> Session:
            def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
                return {name: meta.begin(make, member.recipe, member.key) for name, make in makes.items()}

            population = seeded(task, Recipe.of(train, 1), keys)
            return Session(population, lambda member: None, begin, settings.device, label=label, programs=programs)

        layers = session_of("layers", settings.train, cls.layers(settings))
        return layers, session_of("constants", settings.constants, cls.learners(settings))

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
        seeds, (session, fitted) = [*self.seeds], self.sessions(self.settings, self.programs)
        every = max(1, -(-self.settings.train.steps // LOOKS))
        layers, curves = self.trained("layers", session, seeds, (every, lambda step: self._look(session, step)))
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
