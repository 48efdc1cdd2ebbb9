"""`plateau`: the steps at which layers leave the plateau at the beginning of their training, predicted and measured."""

from collections.abc import Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from experiments.regression.plateau import attention, escape, layers
from experiments.regression.plateau.results import EXITS, FORM, LAYERS, SCALE, left, predicted, ratio, steps, waiting
from experiments.regression.plateau.settings import Plateau
from tasks.catalogue import task_of
from tasks.regression import Regression
from trainers.recipe import Recipe
from trainers.streams import Stream
from trainers.study import Part, Row, Study, Tables

FORMS = {attention.MERGED: escape.merged_exit, attention.SEPARATE: escape.separate_exit}


class Exits(Study[Plateau]):
    """One part per form and scale, and one per layer of the lab; each has a row per seed."""

    TABLES: ClassVar = (EXITS, LAYERS)
    DOING: ClassVar = "leaving the plateau"

    def parts(self) -> Sequence[Part]:
        forms = [Part({FORM: form, SCALE: scale}, name=EXITS) for form in FORMS for scale in self.settings.scales]
        return [*forms, *(Part({FORM: layer.value}, name=LAYERS) for layer in self.settings.layers)]

    def measure(self, part: Part) -> Tables:
        if part.name == EXITS:
            return {EXITS: self.rows(*self.form(**part.columns), self.settings.steps)}
        expected, taken, known = self.layer(**part.columns)
        rows = self.rows(expected, taken, self.settings.train.steps)
        return {LAYERS: [row | {waiting.name: share} for row, share in zip(rows, known, strict=True)]}

    def rows(self, expected: Any, taken: Any, most: int) -> list[Row]:
        """Return one row per seed, of predicted and measured steps."""
        return [
            {
                "seed": seed,
                predicted.name: float(one),
                steps.name: int(other),
                ratio.name: float(other / one),
                left.name: int(other < most),
            }
            for seed, one, other in zip(self.seeds, expected, taken, strict=True)
        ]

    def keys(self, stream: Stream) -> jax.Array:
        return jnp.stack([self.key(seed, stream) for seed in self.seeds])

    def form(self, form: str, scale: float) -> tuple[Any, Any]:
        """Return predicted and measured steps of plain gradient descent."""
        settings, task = self.settings, task_of(self.settings.task, Regression)
        problem = escape.Problem.of(task.moments(), settings.task.num_context)

        def begin(key: jax.Array) -> attention.Weights:
            weights = attention.initial(form, key, settings.heads, settings.rank, len(problem.variance))
            return jax.tree.map(lambda each: scale * each, weights)

        def leave(weights: attention.Weights, key: jax.Array) -> jax.Array:
            level, moments = problem.level(escape.LEFT), jnp.stack([problem.variance, problem.square])
            rates = settings.learning_rate, level, settings.batch_size, settings.steps
            return attention.leave(weights, task, key, moments, *rates)

        weights = jax.vmap(begin)(self.keys(Stream.parameters))
        expected = [
            FORMS[form](problem, *(np.asarray(each[row], np.float64) for each in ordered(weights)))
            for row in range(settings.seeds)
        ]
        return np.array(expected) / settings.learning_rate, jax.vmap(leave)(weights, self.keys(Stream.training))

    def layer(self, form: str) -> tuple[Any, Any, list[float | None]]:
        """Return the steps of the flow that predicts the order, those of the recipe, and what late seeds know."""
        settings, task = self.settings, layers.TASK
        problem = escape.Problem.of(task.moments(), task.num_context)
        moments, level = jnp.stack([problem.variance, problem.square]), problem.level(layers.SHARE)
        seeds = jnp.stack([jax.random.key(seed) for seed in self.seeds])  # as a comparison's
        kind = next(each for each in settings.layers if each.value == form)
        weights, losses = layers.trained(kind, Recipe.of(settings.train, num_layers=1), seeds)
        expected = jax.vmap(lambda each: layers.flow_steps(each, moments, level, settings.steps))(weights)
        taken = layers.exits(losses, level)
        return expected, taken, layers.waits(problem, np.asarray(losses), np.asarray(taken))


run = Exits.run_each


def ordered(weights: attention.Weights) -> list[jax.Array]:
    """Return the weights in the order of the arguments of FORMS."""
    return [weights[name] for name in ("v", "u", "k", "q") if name in weights]
