"""`demonstrations`: which of a user's demonstrations to show: search on validation queries [LRGD], and its controls.

All methods and controls see the same users, pools and queries, and start from the same proposals.
"""

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import jax

from analysis.tables.columns import Rounds
from experiments.demonstrations.demonstrations import results, rows
from experiments.demonstrations.demonstrations.measure import Measured, measure_block
from experiments.demonstrations.demonstrations.settings import Demonstrations
from lab.config.choices import Recommender
from lab.errors import ConfigError
from lab.layouts.merged import TokenLayout
from lab.layouts.sequence import Merged
from lab.learners.decoder import Decoder
from lab.learners.decoder_shape import Shape
from lab.learners.descent import GradientDescent
from lab.learners.learner import Learner
from lab.learners.ridge import Ridge
from tasks.catalogue import TASKS, task_of
from tasks.recommend import Recommend
from trainers import meta
from trainers.loss_curve import loss_of
from trainers.population import Member, at, seeded
from trainers.recipe import Recipe
from trainers.session import Session
from trainers.streams import Stream
from trainers.study import Part, Row, Study, Tables, blocks_of

DECODER = "decoder"


def check(settings: Demonstrations) -> None:
    """Refuse a task whose queries have no slate (ConfigError)."""
    if not issubclass(TASKS[settings.task.name], Recommend):
        raise ConfigError(f"task={settings.task.name}: it has no pool of demonstrations; allowed: recommend")


class Search(Study[Demonstrations]):
    """One part per seed, whose users and learner are its own, and number of validation queries."""

    TABLES: ClassVar = results.TABLES
    DOING: ClassVar = "searching"
    UNDEFINED: ClassVar = (
        Rounds.SIMILARITY, results.similarity_first.name, results.similarity_last.name, results.correlation.name,
    )  # fmt: skip

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        self.task = task_of(settings.task, Recommend)
        self.users = dataclasses.replace(
            self.task,
            num_context=settings.pool,
            num_queries=max(settings.validation) + settings.queries,
            contamination=settings.contamination,
            any_count=False,
        )
        blocks = blocks_of(settings.eval.users, settings.eval.block)
        return [
            Part({results.SEED: seed, results.QUERIES: queries}, blocks)
            for seed in self.seeds
            for queries in settings.validation
        ]

    def measure(self, part: Part) -> Tables:
        settings, (seed, queries) = self.settings, part.columns.values()
        learner, losses = self.learner(seed)

        def measured_block(key: jax.Array) -> dict:
            return measure_block(settings, learner, self.users, key, queries)._asdict()

        key = self.key(seed, Stream.test)
        measured = Measured(**self.blocks("users", measured_block, key, settings.eval.users, settings.eval.block))
        return {
            results.ROUNDS: rows.round_rows(measured),
            results.ENDS: rows.method_rows(settings, measured),
            results.DIFFERENCES: rows.difference_rows(measured),
            results.AGREEMENT: [rows.agreement(measured)],
        } | ({results.CURVES: losses} if losses else {})

    def run(self) -> None:
        super().run()
        if results.CURVES in self.tables:
            self.record.table(results.CURVES, self.tables[results.CURVES])

    def learner(self, seed: int) -> tuple[Learner, list[Row]]:
        """Return what answers the prompts of a seed, and its losses in training; a decoder is trained when it is first
        asked for. The rate of gradient descent scales all scores alike and changes no rank."""
        settings, layout = self.settings, TokenLayout.of(self.task)
        if settings.learner is Recommender.descent:
            return GradientDescent(layout, 1.0), []
        if settings.learner is Recommender.ridge:
            return Ridge(layout, settings.penalty), []
        session = self._session(Shape.of(settings.model, Merged(layout), self.task.num_context), seed)
        look = loss_of(session, DECODER, self.key(seed, Stream.validation))
        learners, losses = self.trained(f"decoder of seed {seed}", session, [seed], look)
        return at(learners[DECODER], 0), losses

    def _session(self, shape: Shape, seed: int) -> Session:
        """Return the session that trains a decoder on any number of a user's own demonstrations from 1 on."""

        def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
            def make(key: jax.Array, init_scale: jax.Array) -> Decoder:
                return Decoder(shape, key, init_scale)

            return {DECODER: meta.begin(make, member.recipe, member.key)}

        recipe = Recipe.of(self.settings.train, shape.num_layers)
        population = seeded(dataclasses.replace(self.task, any_count=True), recipe, [jax.random.key(seed)])
        device = self.settings.device
        return Session(population, lambda member: None, begin, device, label=DECODER, programs=self.programs)


run = Search.run_each
