"""`prompt_text`: what [LRGD] does to the text of a prompt, done to the learned instructions of a decoder.

A decoder learns to recommend from prompts of the user's own demonstrations. At the test some are another person's. All
operations on the instructions (`lab.learners.prompt_text`) are measured on the same users as the plain decoder.
"""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.ranking import difference
from analysis.metrics.transfer import cosine
from experiments.demonstrations.prompt_text import results
from experiments.demonstrations.prompt_text.results import CHOSEN, INVERSE, PLAIN, PREFIX, SHRUNK, UNTRAINED
from experiments.demonstrations.prompt_text.settings import PromptText
from lab.errors import ConfigError
from lab.layouts.merged import TokenLayout
from lab.learners.decoder import Decoder
from lab.learners.descent import GradientDescent
from lab.learners.learner import Learner, predict
from lab.learners.prompt_text import Inverted, Prefixed, shrunk
from lab.learners.ridge import Ridge
from tasks.catalogue import TASKS, task_of
from tasks.ranking import METRICS
from tasks.recommend import Recommend
from trainers import meta, recommenders
from trainers.loss_curve import loss_of
from trainers.population import Member, at, seeded
from trainers.recipe import Recipe
from trainers.record import Record
from trainers.session import Session
from trainers.streams import Stream
from trainers.study import Part, Row, Study, Tables, blocks_of

SCORE = results.ndcg.name
NOTE = (
    "LRGD: these have no counterpart in tokens: a text that limits what a model may write, demonstrations that a model "
    "writes, and lists that are written item by item."
)


def check(settings: PromptText) -> None:
    """
    Raises:
        ConfigError: the task's queries have no slate.
    """
    if not issubclass(TASKS[settings.task.name], Recommend):
        raise ConfigError(f"task={settings.task.name}: it has no slates to rank; allowed: recommend")


def run(records: Sequence[Record[PromptText]]) -> None:
    """Write the tables, headline numbers, and as a note what cannot be done to tokens.

    Raises:
        Diverged: a training loss is not a finite number, or has grown without bound.
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        Text(record).run()
        record.note(NOTE)


class Text(Study[PromptText]):
    """One part per seed, whose decoder, prefix and users are its own."""

    TABLES: ClassVar = results.TABLES

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        self.task = task_of(settings.task, Recommend)
        self.test = dataclasses.replace(
            self.task,
            num_context=settings.examples,
            num_queries=settings.queries,
            contamination=settings.contamination,
            any_count=False,
        )
        return [
            Part({results.SEED: seed}, 2 * blocks_of(settings.eval.users, settings.eval.block)) for seed in self.seeds
        ]

    def measure(self, part: Part) -> Tables:
        settings, seed = self.settings, part.columns[results.SEED]
        (learners, curves), layout = self.operations(seed), TokenLayout.of(self.task)
        others = {"descent": GradientDescent(layout, 1.0), "ridge": Ridge(layout, settings.penalty)}

        def measured_block(key: jax.Array) -> dict:
            return measure(learners, others, self.test, key, settings.eval.block)

        test, choice = (
            self.blocks(stream.name, measured_block, self.key(seed, stream), settings.eval.users, settings.eval.block)
            for stream in (Stream.test, Stream.choice)
        )
        return {
            results.TEXT: text_rows(settings, test["scores"], choice["scores"]),
            results.LIKENESS: likeness_rows(test["likeness"]),
            results.CURVES: curves,
        }

    def operations(self, seed: int) -> tuple[dict[str, Learner], list[Row]]:
        """Return {operation: the decoder after it}, and the losses of both trainings.

        The prefix is trained on prompts like those of the test; an untrained prefix is its control.
        """
        settings = self.settings
        session = recommenders.session_of(
            settings.model, settings.train, self.task, [seed], settings.device, self.programs
        )
        look = loss_of(session, recommenders.DECODER, self.key(seed, Stream.validation))
        trained, losses = self.trained(f"decoder of seed {seed}", session, [seed], look)
        decoder, curves = at(trained[recommenders.DECODER], 0), _of(recommenders.DECODER, losses)
        key = self.key(seed, Stream.prefix)
        session = self._prefixed(decoder, key)
        look = loss_of(session, PREFIX, self.key(seed, Stream.validation))
        trained, losses = self.trained(f"prefix of seed {seed}", session, [seed], look, section="prefix")
        prefix, curves = at(trained[PREFIX], 0), curves + _of(PREFIX, losses)
        return {
            PLAIN: decoder,
            **{shrunk_name(alpha): shrunk(decoder, alpha) for alpha in settings.alpha},
            INVERSE: Inverted(decoder),
            PREFIX: prefix,
            UNTRAINED: Prefixed(decoder, settings.prefix_tokens, jax.random.fold_in(key, Stream.parameters)),
        }, curves

    def _prefixed(self, decoder: Decoder, key: jax.Array) -> Session:
        settings = self.settings
        recipe = Recipe.of(settings.prefix, decoder.shape.num_layers)

        def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
            def make(key: jax.Array, init_scale: jax.Array) -> Prefixed:
                return Prefixed(member.extra, settings.prefix_tokens, key)

            return {PREFIX: meta.begin(make, member.recipe, member.key)}

        population = seeded(self.test, recipe, [key], [decoder])
        return Session(population, lambda member: None, begin, settings.device, label=PREFIX, programs=self.programs)


def _of(learner: str, losses: list[Row]) -> list[Row]:
    return [{results.LEARNER: learner} | row for row in losses]


def shrunk_name(alpha: float) -> str:
    return f"{SHRUNK}_{alpha:g}"


@functools.partial(jax.jit, static_argnames=("count",))
def measure(
    learners: Mapping[str, Learner], others: Mapping[str, Learner], task: Recommend, key: jax.Array, count: int
) -> dict:
    """Measure all operations on `count` users.

    Returns:
        {"scores": {operation: {measure: (B,)}}}, means over queries, and how much the plain decoder is
        {"likeness": {other learner: {column of likeness.csv: (B,)}}}.
    """
    episodes = task.sample(key, count)

    def top(answers_BxQxY: jax.Array) -> jax.Array:
        scores_BxQxS = jax.vmap(lambda slate, answers: slate.scores(answers))(episodes.target, answers_BxQxY)
        return jnp.argmax(scores_BxQxS, axis=-1)

    def scores(learner: Learner) -> dict[str, jax.Array]:
        each = jax.vmap(task.scores)(predict(learner, episodes.prompt), episodes.target)
        return {name: jnp.mean(each[name], axis=-1) for name in METRICS}

    plain = predict(learners[PLAIN], episodes.prompt)
    likeness = {}
    for name, learner in others.items():
        answers = predict(learner, episodes.prompt)
        same = top(plain) == top(answers)
        likeness[name] = {
            results.cosine.name: jnp.mean(cosine(plain, answers), axis=-1),
            results.same_top.name: jnp.mean(same.astype(plain.dtype), axis=-1),
        }
    return {"scores": {name: scores(learner) for name, learner in learners.items()}, "likeness": likeness}


def text_rows(settings: PromptText, test: dict, choice: dict) -> list[Row]:
    """Return one row per operation: text.csv. The chosen alpha is the best on as many other users."""
    alphas = {shrunk_name(alpha): alpha for alpha in settings.alpha}
    best = max(alphas, key=lambda name: np.mean(choice[name][SCORE], dtype=np.float64))
    names = [PLAIN, *alphas, *(name for name in test if name not in alphas and name != PLAIN)]
    rows = []
    for name, source in [*((name, name) for name in names), (CHOSEN, best)]:
        operation = SHRUNK if name in alphas else name
        row: Row = {results.OPERATION: operation, results.ALPHA: alphas.get(source, "")}
        for metric in METRICS:
            row |= mean_over_episodes(metric, test[source][metric])
        rows.append(row | difference(results.gain.name, test[source][SCORE], test[PLAIN][SCORE]))
    return rows


def likeness_rows(likeness: dict) -> list[Row]:
    """Return one row per learner that the plain decoder is compared with: likeness.csv."""
    return [
        {results.LEARNER: name}
        | mean_over_episodes(results.cosine.name, each[results.cosine.name])
        | mean_over_episodes(results.same_top.name, each[results.same_top.name])
        for name, each in likeness.items()
    ]
