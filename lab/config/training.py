"""Settings of a training, of its evaluations, and of the population that trains together. No JAX here."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from lab.config.base import LARGEST, Base, marked
from lab.config.choices import Optimizer, Until
from lab.config.identity import program_key
from tasks.settings import above_zero, at_least_two, key, nonnegative, positive


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


def first_seed(**marks: bool):
    """Return the field of the key `seed` of a kind with several seeds."""
    return key(0, "The first seed; further ones are seed + 1, seed + 2, ...", "", at_least=0, at_most=LARGEST, **marks)


@dataclass
class TrainsTogether(Base):
    """The keys of every kind whose points are one program where they differ in traced numbers alone."""

    seed: int = first_seed(traced=True)

    def together(self) -> Hashable:
        """Return a key that is equal for points that differ in traced numbers alone."""
        return program_key(self)


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


# The sections `eval` of the kinds: what their learners are tested on. The same key means the same in every kind.


@dataclass
class EvalEpisodes:
    """The test episodes."""

    episodes: int = at_least_two(200, "Test episodes of each seed.")


@dataclass
class EvalBlocks(EvalEpisodes):
    """The test episodes, which are drawn and measured block by block."""

    block: int = positive(50, "Episodes measured at a time; each block is drawn from a key of its own.")


@dataclass
class EvalUsers:
    """The test users, who are drawn and measured block by block."""

    users: int = at_least_two(1000, "Test users of each seed.")
    block: int = positive(250, "Users measured at a time; each block is drawn from a key of its own.")


@dataclass
class EvalDraws:
    """The test of a training run: its random numbers, and how much of it is in memory at a time."""

    seed: int = key(
        0,
        "A run draws its test episodes from the sum of this and its own seed.",
        at_least=0,
        at_most=LARGEST,
        traced=True,
    )
    chunk: int = marked(nonnegative(0, "Episodes measured at a time; 0: all that fit into memory."), not_hashed=True)


@dataclass
class Eval(EvalDraws):
    """The test episodes, on which learners are measured."""

    episodes: int = at_least_two(10_000, "Test episodes of each seed.")

    @property
    def in_training(self) -> int:
        """The episodes of each evaluation during the training."""
        return self.episodes


@dataclass
class Trained:
    """The command line of the run that trains the learners. It is run first if it is not finished."""

    experiment: str = key("shifted_classes", "Experiment that trains the learners; it is run first if it is not done.")
    words: list[str] = key([], "Further words of its command line, such as train.steps=300.")

    def command(self, seed: int, seeds: int) -> list[str]:
        """Return the overrides of the run that keeps the learners of `seeds` consecutive seeds, from `seed` on."""
        return [f"experiment={self.experiment}", f"seed={seed}", f"seeds={seeds}", *self.words]


@dataclass
class StartsFromTrained(Base):
    """The keys of every kind that starts from the learners of another run."""

    model: Trained = field(default_factory=Trained)
    seeds: int = number_of_seeds(3)  # of that run; each gives one learner

    @property
    def command(self) -> list[str]:
        """The overrides of the run that keeps the learners."""
        return self.model.command(self.seed, self.seeds)

    def inputs(self) -> list[list[str]]:
        return [self.command]
