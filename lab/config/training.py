"""Settings of a training, of its evaluations, and of the population that trains together. No JAX here."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from lab.config.base import marked
from lab.config.choices import Optimizer, Until
from tasks.settings import above_zero, key, nonnegative, positive


@dataclass
class Training:
    """The training of a model that is measured only at its end (`trainers.recipe.Recipe.of` reads it)."""

    steps: int = positive(2000, "Steps of the optimiser.")
    batch_size: int = positive(64, "Episodes per step.")
    optimizer: Optimizer | None = key(Optimizer.adamw, "The optimiser; null: adam for one layer, muon for several.")
    learning_rate: float | None = key(0.003, "Largest learning rate; null: the optimiser's own.", above=0)
    warmup: float = key(0.05, "Share of the steps in which the learning rate rises.", at_least=0, at_most=1)
    clip_norm: float = above_zero(1.0, "Bound on the norm of the whole gradient.")
    init_scale: float = above_zero(1.0, "Variance of initial weights times their fan-in.")
    until: Until | None = key(None, "Stop before the last step: loss flat, or near the optimal one; null: never.")
    tolerance: float = key(0.01, "Share of the loss that `until` allows.", above=0, at_most=1)


@dataclass
class Train:
    """The training of a model that is also measured during the training."""

    steps: int = positive(2000, "Steps of the optimiser.")
    batch_size: int = positive(1024, "Episodes per step.")
    optimizer: Optimizer | None = key(None, "The optimiser; null: adam for one layer, muon for several.")
    learning_rate: float | None = key(None, "Largest learning rate; null: the optimiser's own.", above=0, traced=True)
    warmup: float = key(0.05, "Share of the steps in which the learning rate rises.", at_least=0, at_most=1)
    clip_norm: float = marked(above_zero(1.0, "Bound on the norm of the whole gradient."), traced=True)
    init_scale: float = marked(above_zero(0.02, "Variance of initial weights times the width of a token."), traced=True)
    eval_every: int = positive(100, "Steps between two evaluations; there are some more at the beginning.")
    until: Until | None = key(None, "Stop before the last step: loss flat, or near the optimal one; null: never.")
    tolerance: float = key(0.01, "Share of the loss that `until` allows.", above=0, at_most=1)


def number_of_seeds(default: int):
    """Return the field of the key `seeds`, the same in every kind."""
    return key(default, "Number of seeds: seed, seed + 1, ...", at_least=1, at_most=2**16)


@dataclass
class Population:
    """The seeds of a run, which train together."""

    chunk: int = marked(nonnegative(0, "Seeds trained at a time; 0: all."), not_hashed=True)


@runtime_checkable
class HasSeeds(Protocol):
    """Settings of a kind that has several seeds."""

    seed: int
    seeds: int  # how many: seed, seed + 1, ...


def seeds_of(settings: object) -> range:
    """Return the seeds of a run: `seed`, `seed + 1`, ... as many as `seeds` says.

    Raises:
        TypeError: the settings have no key `seeds`.
    """
    if not isinstance(settings, HasSeeds):
        raise TypeError(f"{type(settings).__name__} has no key seeds")
    return range(settings.seed, settings.seed + settings.seeds)
