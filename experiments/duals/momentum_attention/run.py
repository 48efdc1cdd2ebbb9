"""`momentum_attention`: decoders that predict sequences, with and without momentum beside their attention.

Variants and seeds of one kind of positions train side by side in one program. All decoders of a seed start from the
same weights, see the same batches, and are measured on the same sequences, so they differ in what is compared alone.
"""

import dataclasses
import functools
from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.momentum_attention import results
from experiments.duals.momentum_attention.settings import MomentumAttention
from experiments.duals.momentum_attention.variants import decoder_of, etas, variants
from lab.config.choices import Position
from lab.errors import ConfigError
from lab.layouts.merged import TokenLayout
from lab.layouts.sequence import Merged
from lab.learners.decoder_shape import Shape
from lab.learners.learner import predict
from tasks.catalogue import TASKS
from tasks.episode import Episode
from tasks.symbols import Symbols
from tasks.task import Task
from trainers import meta
from trainers.population import Member, seeded, stacked
from trainers.recipe import Recipe
from trainers.session import Session
from trainers.streams import Stream
from trainers.study import Part, Row, Study, Tables

DECODER = "decoder"
SMOOTHING = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # of counts; the best of them on the same sequences counts


def check(settings: MomentumAttention) -> None:
    """Refuse a task without sequences (ConfigError)."""
    if not issubclass(TASKS[settings.task.name], Symbols):
        allowed = ", ".join(name for name, task in TASKS.items() if issubclass(task, Symbols))
        raise ConfigError(f"task={settings.task.name}: its queries are no sequence; allowed: {allowed}")


class Momentum(Study[MomentumAttention]):
    """One part per kind of positions. Its population: the variants of the first seed, then those of the next one."""

    TABLES: ClassVar = (results.CURVES, results.ETAS)
    DOING: ClassVar = "training"

    def parts(self) -> Sequence[Part]:
        (self.task,) = TASKS[self.settings.task.name].together([self.settings.task])
        self.variants = variants(self.settings.eta)
        evaluations = 1 + self.settings.train.steps // self.settings.train.eval_every
        return [Part({results.POSITIONS: each.value}, evaluations) for each in self.settings.positions]

    def measure(self, part: Part) -> Tables:
        positions = Position(part.columns[results.POSITIONS])
        session = self.session(positions)

        def look(step: int) -> list[Row]:
            losses, accuracies, references, learned = jax.device_get(self._evaluate(session))
            self.go_on()
            curves = self._curves(step, losses, accuracies, references)
            learned_etas = [
                {"table": results.ETAS, results.SEED: self.seeds[seed], results.STEP: step,
                 results.LAYER: 1 + layer, results.HEAD: 1 + head, results.eta.name: float(value)}
                for (seed, layer, head), value in np.ndenumerate(self._learned(learned))
            ]  # fmt: skip
            return curves + learned_etas

        every = self.settings.train.eval_every
        names = np.repeat(self.seeds, len(self.variants)).tolist()
        _, looked = self.trained(f"positions {positions.value}", session, names, (every, look))
        tables: Tables = {name: [] for name in self.TABLES}
        for row in looked:
            tables[row.pop("table")].append(row)
        return tables

    def _curves(self, step: int, losses_SxV: np.ndarray, accuracies_SxV: np.ndarray, references: dict) -> list[Row]:
        """Return one row per variant and seed. What says which curve a row is of stands before the step, as shared
        figures expect of a curve."""
        return [
            {
                "table": results.CURVES,
                results.VARIANT: name,
                results.STEP: step,
                results.SEED: seed,
                results.loss.name: float(losses_SxV[i, j]),
                **{column: float(reference_S[i]) for column, reference_S in references.items()},
                results.excess.name: float(losses_SxV[i, j] - references[results.floor.name][i]),
                results.accuracy.name: float(accuracies_SxV[i, j]),
            }
            for j, name in enumerate(self.variants)
            for i, seed in enumerate(self.seeds)
        ]

    def session(self, positions: Position) -> Session:
        """Return the session that trains all variants of all seeds with one kind of positions."""
        settings, shape = self.settings, shape_of(self.settings, positions, self.task)
        recipe = Recipe.of(settings.train, settings.model.num_layers)
        seeds = [seed for seed in self.seeds for _ in self.variants]
        variants = [*self.variants.values()] * len(self.seeds)
        population = seeded(self.task, recipe, [jax.random.key(seed) for seed in seeds], variants)
        population = dataclasses.replace(population, task=stacked([self.task.of_seed(seed) for seed in seeds]))

        def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
            make = functools.partial(decoder_of, shape, member.extra)
            return {DECODER: meta.begin(make, member.recipe, member.key)}

        return Session(
            population, lambda member: None, begin, settings.device, label=positions.value, programs=self.programs
        )

    def _learned(self, etas_PxLxH: np.ndarray) -> np.ndarray:
        """Return eta of the variant that learns it, (seeds, layers, heads)."""
        by_seed = etas_PxLxH.reshape(len(self.seeds), len(self.variants), *etas_PxLxH.shape[1:])
        return by_seed[:, [*self.variants].index(results.LEARNED)]

    def _evaluate(self, session: Session) -> tuple[jax.Array, jax.Array, dict[str, jax.Array], jax.Array]:
        """Return mean losses and accuracies (seeds, variants), {reference: (seeds,)}, and eta (seeds x variants, L,
        H)."""
        learners, seeds = session.trained[DECODER], len(self.seeds)
        by_seed = jax.tree.map(lambda leaf: leaf.reshape(seeds, len(self.variants), *leaf.shape[1:]), learners)
        keys_S = jnp.stack([self.key(seed, Stream.validation) for seed in self.seeds])
        tasks = stacked([self.task.of_seed(seed) for seed in self.seeds])
        return *_measured(by_seed, tasks, keys_S, self.settings.eval.episodes), _etas(learners)


def shape_of(settings: MomentumAttention, positions: Position, task: Task) -> Shape:
    """Return the decoder's static structure."""
    layout = Merged(TokenLayout.of(task))
    return Shape.of(settings.model, layout, task.num_context, instructions=0, positions=positions)


@functools.partial(jax.jit, static_argnames=("count",))
def _measured(
    learners, tasks: Task, keys_S: jax.Array, count: int
) -> tuple[jax.Array, jax.Array, dict[str, jax.Array]]:
    """Return mean losses and accuracies (seeds, variants), and losses of references, which learn nothing, {name:
    (seeds,)}.

    tasks: that of each seed, its numbers with an axis over seeds.
    """

    def of_seed(learners, task: Task, key: jax.Array):
        episodes = task.sample(key, count)

        def loss(answers_BxQxA: jax.Array) -> jax.Array:
            return jnp.mean(jax.vmap(task.loss)(answers_BxQxA, episodes.target))

        def of_learner(learner) -> tuple[jax.Array, jax.Array]:
            answers_BxQxA = predict(learner, episodes.prompt)
            right_BxQ = jax.vmap(task.scores)(answers_BxQxA, episodes.target)["accuracy"]
            return loss(answers_BxQxA), jnp.mean(right_BxQ)

        losses, accuracies = jax.lax.map(of_learner, learners)
        floor = loss(jax.vmap(task.optimal)(episodes.prompt))
        references: dict[str, jax.Array] = {results.floor.name: floor}
        return losses, accuracies, references | {results.frequencies.name: loss_by_frequencies(task, episodes)}

    return jax.vmap(of_seed)(learners, tasks, keys_S)


def loss_by_frequencies(task: Task, episodes: Episode) -> jax.Array:
    """Return the mean loss of the answer log(n_j + b) for symbol j, where n_j counts the symbols so far, in nats.

    A decoder that is no better has not learned which symbol follows which.

    Args:
        episodes: of sequences (`tasks.symbols`).
    """
    prompt = episodes.prompt
    assert prompt.visible is not None
    later_BxNxC = prompt.visible.astype(prompt.answers.dtype) @ prompt.answers
    count_BxNxC = later_BxNxC + prompt.context.x[:, :1]  # the first symbol is no transition's second one

    def loss(smoothing: jax.Array) -> jax.Array:
        return jnp.mean(jax.vmap(task.loss)(jnp.log(count_BxNxC + smoothing), episodes.target))

    return jnp.min(jax.lax.map(loss, jnp.array(SMOOTHING)))


_etas = jax.jit(jax.vmap(etas))
run = Momentum.run_each
