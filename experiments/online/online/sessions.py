"""The two trainings of a run: all layers of all seeds, and the constants of the layers' learners."""

from collections.abc import Callable

import jax

from experiments.online.online.layers import ONLINE, layer, learner
from experiments.online.online.settings import Online
from lab.config.training import seeds_of
from lab.layouts.merged import TokenLayout
from tasks.catalogue import task_of
from tasks.regression import Regression
from trainers import meta
from trainers.population import Member, seeded
from trainers.programs import Programs
from trainers.recipe import Recipe
from trainers.session import Session

States = dict[str, meta.TrainState]


def fitted(name: str) -> str:
    """Return the name of a layer's learner with fitted constants."""
    return f"constants_{name}"


def layers(settings: Online, programs: Programs | None = None) -> Session:
    """Return the session that trains all layers of all seeds. programs: of earlier sessions, to be used again."""
    task = task_of(settings.task, Regression)
    layout = TokenLayout.of(task)

    def begin(member: Member, prepared: None) -> States:
        return {
            each.value: meta.begin(
                lambda key, scale, each=each: layer(each, layout, task.num_context, key, scale),
                member.recipe,
                member.key,
            )
            for each in settings.layers
        }

    return _session(settings, task, "layers", Recipe.of(settings.train, 1), begin, programs)


def constants(settings: Online, programs: Programs | None = None) -> Session:
    """Return the session that fits the constants of the layers' learners, on episodes of all seeds."""
    task = task_of(settings.task, Regression)
    layout = TokenLayout.of(task)

    def begin(member: Member, prepared: None) -> States:
        return {
            fitted(each.value): meta.begin(
                lambda *_, each=each: learner(each, layout, task.num_context), member.recipe, member.key
            )
            for each in settings.layers
            if each in ONLINE
        }

    return _session(settings, task, "constants", Recipe.of(settings.constants, 1), begin, programs)


def _session(
    settings: Online,
    task: Regression,
    label: str,
    recipe: Recipe,
    begin: Callable[[Member, None], States],
    programs: Programs | None,
) -> Session:
    population = seeded(task, recipe, [jax.random.key(seed) for seed in seeds_of(settings)])
    return Session(population, lambda member: None, begin, settings.device, label=label, programs=programs)
