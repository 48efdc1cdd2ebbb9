"""`more_steps`: a layer that was trained alone, or in a loop, applied more often than in training [VO23, A.6]."""

import functools
from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from experiments.regression.comparison.settings import Comparison
from experiments.regression.more_steps import results
from experiments.regression.more_steps.settings import MoreSteps
from lab.config.choices import Features
from lab.config.compose import compose_run
from lab.errors import ConfigError
from lab.layouts.merged import TokenLayout
from lab.learners.damped_iteration import Repeated
from lab.learners.descent import GradientDescent
from lab.learners.learner import Layered
from lab.learners.linear_transformer import AttentionStack
from tasks.catalogue import task_of
from tasks.task import Task
from trainers import load_pretrained
from trainers.line_search import line_search
from trainers.streams import Stream
from trainers.study import Part, Row, Study, Tables

LEARNERS = (results.TRAINED, results.ANSWERS, results.DESCENT)
LARGE = 100.0  # a loss above it counts as diverged, as `results.diverged` says
CAP = 1e6  # of the loss of an episode: means of diverged ones stay finite


def check(settings: MoreSteps) -> None:
    """Refuse an experiment that trains no Transformer of one layer that could be repeated on a synthetic task.

    Raises:
        ConfigError: it is one.
    """
    for command in settings.inputs():
        maker, words = compose_run(command), " ".join(command)
        if not (load_pretrained.keeps(maker, "comparison") and isinstance(maker, Comparison)):
            raise ConfigError(
                f"model.experiment={settings.model.experiment}: it keeps no Transformer; one run of the kind "
                "comparison does"
            )
        if not maker.model.recurrent:
            raise ConfigError(f"model: {words}: layers with weights of their own cannot be repeated")
        if maker.model.features is not Features.inputs or maker.data is not None:
            raise ConfigError(f"model: {words}: repeated layers are of synthetic tasks, without learned features")
        if maker.baselines.init_std > 0:
            raise ConfigError(f"model: {words}: gradient descent starts from zero here, with baselines.init_std=0")


class Applications(Study[MoreSteps]):
    """One part per depth of training and seed."""

    TABLES: ClassVar = (results.TABLE, results.RATES)
    DOING: ClassVar = "applying layers"

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        self.makers = {
            layers: load_pretrained.settings_of(settings.of_layers(layers), Comparison) for layers in settings.layers
        }
        return [
            Part({results.LAYERS: layers, results.SEED: maker.seed + member})
            for layers, maker in self.makers.items()
            for member in range(settings.seeds)
        ]

    def measure(self, part: Part) -> Tables:
        layers, seed = part.columns.values()
        maker, words = self.makers[layers], self.settings.of_layers(layers)
        task = task_of(maker.task, Task)
        model = load_pretrained.learner(self.record, words, "transformer", AttentionStack, seed - maker.seed)
        eta = _rate(task, self.key(seed, Stream.line_search), layers, maker.baselines.line_search_episodes)
        rows = measured(self.settings, task, model, eta, self.key(seed, Stream.test))
        return {results.TABLE: rows, results.RATES: [{results.ETA: float(eta)}]}


run = Applications.run_each


@functools.partial(jax.jit, static_argnames=("steps", "episodes"))
def _rate(task: Task, key: jax.Array, steps: int, episodes: int) -> jax.Array:
    """Return the best rate for so many steps of gradient descent, found on the same episodes as the comparison's."""
    layout = TokenLayout.of(task)
    return line_search(lambda eta: GradientDescent(layout, eta, steps), steps, task, key, episodes).eta


def measured(settings: MoreSteps, task: Task, model: AttentionStack, eta: jax.Array, key: jax.Array) -> list[Row]:
    """Return one row per damping, learner and number of applications, all on the episodes of the key."""
    dampings = jnp.asarray(settings.dampings, float)
    measures = _measures(model, task, eta, key, dampings, settings.times, settings.eval.episodes)
    by_name = {name: np.asarray(values, np.float64) for name, values in measures.items()}
    return [
        {results.DAMPING: damping, results.LEARNER: learner, results.APPLICATIONS: count + 1}
        | {name: float(values_RxLxT[row, place, count]) for name, values_RxLxT in by_name.items()}
        for row, damping in enumerate(settings.dampings)
        for place, learner in enumerate(LEARNERS)
        for count in range(settings.times)
    ]


@functools.partial(jax.jit, static_argnames=("times", "count"))
def _measures(
    model: AttentionStack, task: Task, eta: jax.Array, key: jax.Array, dampings_R: jax.Array, times: int, count: int
) -> dict[str, jax.Array]:
    """Return {loss, median, diverged: (dampings, learners, applications)}."""
    episodes, layout = task.sample(key, count), TokenLayout.of(task)

    def of_learner(learner: Layered) -> dict[str, jax.Array]:
        def losses(prompt, target) -> jax.Array:
            return jax.vmap(lambda answer: jnp.mean(task.loss(answer, target)))(learner.readouts(prompt))

        losses_TxB = jax.vmap(losses, out_axes=1)(episodes.prompt, episodes.target)
        losses_TxB = jnp.minimum(jnp.where(jnp.isnan(losses_TxB), CAP, losses_TxB), CAP)
        return {
            results.loss.name: jnp.mean(losses_TxB, axis=1),
            results.median.name: jnp.median(losses_TxB, axis=1),
            results.diverged.name: jnp.mean(losses_TxB > LARGE, axis=1),
        }

    def of_damping(damping: jax.Array) -> dict[str, jax.Array]:
        learners = (
            Repeated(model, times, damping),
            Repeated(model, times, damping, answers_only=True),
            GradientDescent(layout, damping * eta, times),
        )
        return jax.tree.map(lambda *each: jnp.stack(each), *map(of_learner, learners))

    return jax.lax.map(of_damping, dampings_R)
