"""`recommend`: recommenders are fitted to what users took, and rank candidates for the item that each takes next.

Every seed has users, items and initial weights of its own; all recommenders of a seed see the same sequences, rank the
same candidates, and are measured on the same users. Of a log of real users nobody knows the true utilities, so there is
no ceiling.
"""

from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from experiments.recommendation.recommend import results
from experiments.recommendation.recommend.learners import COUNTED, TRAINED
from experiments.recommendation.recommend.measure import (
    Measured,
    candidates,
    difference_rows,
    learner_rows,
    measure,
    scores,
)
from experiments.recommendation.recommend.results import LEARNER, SEED, SPLIT, TRUTH
from experiments.recommendation.recommend.searched import Pasts
from experiments.recommendation.recommend.settings import Recommendation
from experiments.recommendation.recommend.splits import SPLITS, Parts, drawn_by, read_from
from lab.config.choices import Split
from lab.errors import ConfigError
from lab.learners.learner import Learner
from tasks.catalogue import TASKS
from tasks.item_sequences import Items, Logged
from tasks.settings import Items as ItemParameters
from trainers import meta
from trainers.loss_curve import loss_of
from trainers.population import Member, at, seeded
from trainers.recipe import Recipe
from trainers.record import Record
from trainers.session import Session
from trainers.streams import Stream
from trainers.study import Part, Row, Study, Tables

RECOMMENDER = "recommender"
SEARCHED = "descent"  # the recommender that also answers from searched demonstrations


def check(settings: Recommendation) -> None:
    """Refuse a task without a log of items, or with too few of them for a slate (ConfigError)."""
    if settings.task is None:
        return
    if not (issubclass(TASKS[settings.task.name], Items) and isinstance(settings.task, ItemParameters)):
        raise ConfigError(f"task={settings.task.name}: it has no log of items; allowed: items")
    if settings.negatives >= settings.task.num_items:
        raise ConfigError(f"negatives={settings.negatives}: must be < task.num_items={settings.task.num_items}")


def run(records: Sequence[Record[Recommendation]]) -> None:
    """Write the tables and headline numbers.

    Raises:
        Diverged: a training loss is not a finite number, or has grown without bound.
        UserError: a directory cannot be written, or the device has too little memory, a split leaves nobody.
        DataError: the log cannot be read.
    """
    for record in records:
        Ranking(record).run()


class Ranking(Study[Recommendation]):
    """One part per seed and way of splitting its log."""

    TABLES: ClassVar = results.TABLES
    DOING: ClassVar = "fitting"

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        if settings.data is not None:
            self.log_of, items = read_from(settings, settings.data)
            self.names = items.names
            for note in items.notes:
                self.record.note(note)
        else:
            assert settings.task is not None  # the settings' own check says so
            self.log_of = drawn_by(settings.task, settings.users)
        fits = len(self.fitted()) + len(settings.search.methods) + self.further()
        return [Part({SEED: seed, SPLIT: split.value}, fits) for seed in self.seeds for split in settings.splits]

    def fitted(self) -> Sequence[str]:
        """Return the names of the recommenders that are fitted."""
        return (*COUNTED, *TRAINED)

    def further(self) -> int:
        """Return how many steps `beside` has."""
        return 0

    def beside(self, part: Part, parts: Parts, count: int, slates: np.ndarray) -> dict[str, Measured]:
        """Return what is measured of recommenders that a further kind compares, by name."""
        return {}

    def measure(self, part: Part) -> Tables:
        settings, (seed, split) = self.settings, part.columns.values()
        log, count = self.log_of(seed)
        parts = at_most(
            SPLITS[Split(split)](log, settings.test_share), settings.eval.users, self.key(seed, Stream.users)
        )
        slates = candidates(self.key(seed, Stream.candidates), parts.target, count, settings.negatives)
        measured, curves = {}, []
        for name in self.fitted():
            learner, losses = self.learner(name, part, parts, count)
            curves += [{LEARNER: name} | row for row in losses]
            measured[name] = measure(scores(learner, parts, count, settings.eval.chunk), parts.target, slates)
            self.go_on()
            if name == SEARCHED:
                measured |= self.searched(learner, parts, count, slates, seed)
        measured |= self.beside(part, parts, count, slates)
        if parts.utility is not None:
            measured[TRUTH] = measure(parts.utility, parts.target, slates)
        return {
            results.LEARNERS: learner_rows(measured, count, settings.negatives),
            results.DIFFERENCES: difference_rows(measured),
            results.CURVES: curves,
            results.USERS_OF: [
                {results.TRAINING: len(parts.train), results.USERS: len(parts.test), results.NEW: parts.new}
            ],
        }

    def searched(
        self, learner: Learner, parts: Parts, count: int, slates: np.ndarray, seed: int
    ) -> dict[str, Measured]:
        """Return what is measured of the learner with searched demonstrations, and with others, by name."""
        search = self.settings.search
        if not search.methods:
            return {}
        pasts = Pasts(search, learner, parts, count, slates, self.settings.eval.chunk)
        key, key_random = jax.random.split(self.key(seed, Stream.proposals))
        measured = pasts.unsearched(key_random)
        for method in search.methods:
            measured[method.value] = pasts.searched(method, key)
            self.go_on()
        return measured

    def learner(self, name: str, part: Part, parts: Parts, count: int) -> tuple[Learner, list[Row]]:
        """Return a recommender that is fitted to the training sequences of a part, and its losses in training."""
        settings, seed = self.settings, part.columns[SEED]
        if name in COUNTED:
            return COUNTED[name](settings, parts.train, count), []
        task = Logged(jnp.asarray(parts.train), count)
        make, recipe = TRAINED[name](settings, task), Recipe.of(settings.train, settings.model.num_layers)

        def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
            return {RECOMMENDER: meta.begin(make, member.recipe, member.key)}

        population = seeded(task, recipe, [jax.random.key(seed)])
        session = Session(population, lambda member: None, begin, settings.device, label=name, programs=self.programs)
        label = f"{name} of seed {seed}, {part.columns[SPLIT].replace('_', ' ')}"
        look = loss_of(session, RECOMMENDER, self.key(seed, Stream.validation))
        learners, losses = self.trained(label, session, [seed], look)
        return at(learners[RECOMMENDER], 0), losses


def at_most(parts: Parts, users: int, key: jax.Array) -> Parts:
    """Return the parts with so many test users, any of them alike; in a log, the first ones may be the earliest."""
    count = len(parts.test)
    return parts if count <= users else parts.of_users(np.sort(jax.random.permutation(key, count)[:users]))
