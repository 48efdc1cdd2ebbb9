"""Settings of a training, of its evaluations, and of the population that trains together. No JAX here."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from lab.config.base import LARGEST, marked
from lab.config.choices import Optimizer
from tasks.settings import above_zero, at_least_two, key, nonnegative, positive


@dataclass
class Training:
    """The training of a model that is measured at its end only (`trainers.recipe.Recipe.of` reads it)."""

    steps: int = positive(2000, "Steps of the optimiser.")
    batch_size: int = positive(64, "Episodes per step.")
    optimizer: Optimizer | None = key(Optimizer.adamw, "The optimiser; null: adam for one layer, muon for several.")
    learning_rate: float | None = key(0.003, "Largest learning rate; null: the optimiser's own.", above=0)
    warmup: float = key(0.05, "Share of the steps in which the learning rate rises.", at_least=0, at_most=1)
    clip_norm: float = above_zero(1.0, "Bound on the norm of the whole gradient.")
    init_scale: float = above_zero(1.0, "Variance of initial weights times their fan-in.")


@dataclass
class Train:
    """The training of a model that is also measured on its way."""

    steps: int = positive(2000, "Steps of the optimiser.")
    batch_size: int = positive(1024, "Episodes per step.")
    optimizer: Optimizer | None = key(None, "The optimiser; null: adam for one layer, muon for several.")
    learning_rate: float | None = key(None, "Largest learning rate; null: the optimiser's own.", above=0, traced=True)
    warmup: float = key(0.05, "Share of the steps in which the learning rate rises.", at_least=0, at_most=1)
    clip_norm: float = marked(above_zero(1.0, "Bound on the norm of the whole gradient."), traced=True)
    init_scale: float = marked(above_zero(0.02, "Variance of initial weights times the width of a token."), traced=True)
    eval_every: int = positive(100, "Steps between two evaluations; there are some more at the beginning.")


@dataclass
class Eval:
    """The test episodes, on which learners are measured."""

    episodes: int = at_least_two(10_000, "Test episodes of each seed.")
    seed: int = key(
        0,
        "A run draws its test episodes from the sum of this and its own seed.",
        at_least=0,
        at_most=LARGEST,
        traced=True,
    )
    chunk: int = marked(nonnegative(0, "Episodes measured at a time; 0: all that fit into memory."), not_hashed=True)


@dataclass
class Population:
    """The seeds of a run, which train together."""

    seeds: int = key(1, "Number of seeds: seed, seed + 1, ...", at_least=1, at_most=2**16)
    chunk: int = marked(nonnegative(0, "Seeds trained at a time; 0: all."), not_hashed=True)


@runtime_checkable
class HasSeeds(Protocol):
    """Settings of a kind that has several seeds, one after the other."""

    seed: int
    seeds: int  # how many: seed, seed + 1, ...


@runtime_checkable
class HasPopulation(Protocol):
    """Settings of a kind that trains several seeds together."""

    population: Population


def population_of(settings: object) -> Population:
    """Return the section `population` of some settings.

    Raises:
        TypeError: they are of a kind that has none.
    """
    if not isinstance(settings, HasPopulation):
        raise TypeError(f"{type(settings).__name__} has no section population")
    return settings.population
