"""`plateau`: the steps at which layers leave the plateau at the beginning of their training, predicted and measured."""

from collections.abc import Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import optax

from experiments.regression.plateau import attention, escape, layers, results
from experiments.regression.plateau.settings import Plateau
from lab.errors import ConfigError
from tasks.catalogue import task_of
from tasks.regression import Regression
from trainers import meta
from trainers.recipe import Recipe
from trainers.streams import Stream
from trainers.study import Part, Study, Tables

FORMS = {attention.MERGED: escape.merged_exit, attention.SEPARATE: escape.separate_exit}


class Exits(Study[Plateau]):
    """One part per form and scale, and one per layer of the lab; each has a row per seed."""

    TABLES: ClassVar = (results.EXITS, results.LAYERS)
    DOING: ClassVar = "leaving the plateau"

    def parts(self) -> Sequence[Part]:
        forms = [
            Part({results.FORM: form, results.SCALE: scale}, name=results.EXITS)
            for form in FORMS
            for scale in self.settings.scales
        ]
        return [*forms, *(Part({results.FORM: layer.value}, name=results.LAYERS) for layer in self.settings.layers)]

    def measure(self, part: Part) -> Tables:
        if part.name == results.LAYERS:
            columns, most = self.layer(**part.columns), self.settings.train.steps
        else:
            columns, most = self.form(**part.columns), self.settings.steps
        columns = {"seed": self.seeds, **columns, results.left.name: (columns[results.steps.name] < most).astype(int)}
        rows = zip(*(np.asarray(each).tolist() for each in columns.values()), strict=True)
        return {part.name: [dict(zip(columns, row, strict=True)) for row in rows]}

    def keys(self, stream: Stream) -> jax.Array:
        return jnp.stack([self.key(seed, stream) for seed in self.seeds])

    def form(self, form: str, scale: float) -> dict[str, Any]:
        """Return the columns of one form and scale, trained by plain gradient descent."""
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
        begins = jax.device_get(ordered(weights))
        times = [FORMS[form](problem, *(each[row].astype(float) for each in begins)) for row in range(settings.seeds)]
        if not np.isfinite(times).all():
            raise ConfigError(f"scales={scale:g}: initial weights that large begin on no plateau; give smaller ones")
        expected = np.maximum(np.array(times) / settings.learning_rate, 1.0)
        measured = np.asarray(jax.vmap(leave)(weights, self.keys(Stream.training)))
        return {results.predicted.name: expected, results.steps.name: measured, results.ratio.name: measured / expected}

    def layer(self, form: str) -> dict[str, Any]:
        """Return the columns of a layer of the lab, trained by the recipe."""
        settings, task = self.settings, layers.TASK
        problem = escape.Problem.of(task.moments(), task.num_context)
        moments, level = jnp.stack([problem.variance, problem.square]), problem.level(layers.SHARE)
        seeds = jnp.stack([jax.random.key(seed) for seed in self.seeds])  # as a comparison's
        kind = next(each for each in settings.layers if each.value == form)
        recipe = Recipe.of(settings.train, num_layers=1)
        weights, losses = layers.trained(kind, recipe, seeds)
        measured, losses = np.asarray(layers.exits(losses, level)), np.asarray(losses)

        def by(method: optax.GradientTransformation) -> jax.Array:
            return jax.vmap(lambda each: layers.steps_by(method, each, moments, level, settings.steps))(weights)

        return {
            results.predicted.name: by(optax.sgd(layers.RATE)),
            results.replayed.name: by(meta.optimizer(recipe)),
            results.steps.name: measured,
            results.waiting.name: np.array(layers.waits(problem, losses, measured), object),
        }


run = Exits.run_each


def ordered(weights: attention.Weights) -> list[jax.Array]:
    """Return the weights in the order of the arguments of FORMS."""
    return [weights[name] for name in ("v", "u", "k", "q") if name in weights]
