"""The two trainings of a run: all layers of all seeds, and the constants of the learners beside them."""

from collections.abc import Mapping

import jax

from experiments.online.settings import BesideLearners, ConstantsTrain, LayersTrain
from lab.config.training import seeds_of
from tasks.catalogue import task_of
from tasks.regression import Regression
from trainers import meta
from trainers.population import Member, seeded
from trainers.programs import Programs
from trainers.recipe import Recipe
from trainers.session import Session

Makes = Mapping[str, meta.Make]  # {name: (key, init_scale) -> an untrained learner}


def session_of(
    settings: BesideLearners,
    label: str,
    train: LayersTrain | ConstantsTrain,
    makes: Makes,
    programs: Programs | None = None,
) -> Session:
    """Return the session that trains learners of all seeds side by side. programs: of earlier sessions, used again."""

    def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
        return {name: meta.begin(make, member.recipe, member.key) for name, make in makes.items()}

    task = task_of(settings.task, Regression)
    population = seeded(task, Recipe.of(train, 1), [jax.random.key(seed) for seed in seeds_of(settings)])
    return Session(population, lambda member: None, begin, settings.device, label=label, programs=programs)


def layers(settings: BesideLearners, makes: Makes, programs: Programs | None = None) -> Session:
    """Return the session that trains the layers."""
    return session_of(settings, "layers", settings.train, makes, programs)


def constants(settings: BesideLearners, makes: Makes, programs: Programs | None = None) -> Session:
    """Return the session that fits the learners' constants."""
    return session_of(settings, "constants", settings.constants, makes, programs)
