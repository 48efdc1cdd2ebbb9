"""Settings of a training, of its evaluations, and of the population that trains together. No JAX here."""

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from lab.config.base import LARGEST, marked
from lab.config.choices import Optimizer
from tasks.settings import above_zero, at_least_two, nonnegative, positive


@dataclass
class Training:
    """The training of a model that is measured at its end only (`trainers.recipe.Recipe.of` reads it)."""

    steps: int = positive(2000)
    batch_size: int = positive(64)
    optimizer: Optimizer | None = Optimizer.adamw
    learning_rate: float | None = field(default=0.003, metadata={"above": 0})
    warmup: float = field(default=0.05, metadata={"at_least": 0, "at_most": 1})  # share of the steps
    clip_norm: float = above_zero(1.0)  # bound on the norm of the whole gradient
    init_scale: float = above_zero(1.0)  # variance of initial weights times their fan-in


@dataclass
class Train:
    """The training of a model that is also measured on its way."""

    steps: int = positive(2000)
    batch_size: int = positive(1024)  # episodes per step
    optimizer: Optimizer | None = None  # null: adam for one layer, muon for several
    learning_rate: float | None = field(default=None, metadata={"above": 0, "traced": True})  # null: the optimizer's
    warmup: float = field(default=0.05, metadata={"at_least": 0, "at_most": 1})  # share of the steps
    clip_norm: float = marked(above_zero(1.0), traced=True)  # bound on the norm of the whole gradient
    init_scale: float = marked(above_zero(0.02), traced=True)  # variance of initial weights times the token width
    # Steps between two evaluations. There are further ones after a half, a quarter, ... of this (`trainers.loop`).
    eval_every: int = positive(100)


@dataclass
class Eval:
    """The test episodes, on which learners are measured."""

    episodes: int = at_least_two(10_000)
    # Seed of the test episodes: those of a run are drawn from the sum of this and the run's seed.
    seed: int = field(default=0, metadata={"at_least": 0, "at_most": LARGEST, "traced": True})
    chunk: int = marked(nonnegative(0), not_hashed=True)  # episodes measured at a time; 0: all that fit into memory


@dataclass
class Population:
    """The seeds of a run, which train together."""

    seeds: int = field(default=1, metadata={"at_least": 1, "at_most": 2**16})  # how many: seed, seed + 1, ...
    chunk: int = marked(nonnegative(0), not_hashed=True)  # members trained at a time; 0: all


@runtime_checkable
class HasPopulation(Protocol):
    """Settings of a kind that trains several seeds together."""

    population: Population
