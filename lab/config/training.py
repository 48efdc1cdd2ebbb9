"""How a model is trained that an experiment measures only at the end. No JAX here."""

from dataclasses import dataclass, field

from lab.config.base import LARGEST, marked
from lab.config.choices import Optimizer
from tasks.settings import above_zero, at_least_two, nonnegative, positive


@dataclass
class Training:
    """Read by `trainers.recipe.Recipe.of`."""

    steps: int = positive(2000)
    batch_size: int = positive(64)
    optimizer: Optimizer | None = Optimizer.adamw
    learning_rate: float | None = field(default=0.003, metadata={"above": 0})
    warmup: float = field(default=0.05, metadata={"at_least": 0, "at_most": 1})  # share of the steps
    clip_norm: float = above_zero(1.0)  # of the whole gradient
    init_scale: float = above_zero(1.0)  # variance of initial weights times their fan-in


@dataclass
class Train:
    steps: int = positive(2000)
    batch_size: int = positive(1024)
    optimizer: Optimizer | None = None  # null: adam for one layer, muon for several
    learning_rate: float | None = field(default=None, metadata={"above": 0, "traced": True})  # null: the optimizer's
    warmup: float = field(default=0.05, metadata={"at_least": 0, "at_most": 1})  # share of the steps
    clip_norm: float = marked(above_zero(1.0), traced=True)  # of the whole gradient
    init_scale: float = marked(above_zero(0.02), traced=True)  # variance of initial weights times the token width
    eval_every: int = positive(100)  # steps; and at a half, a quarter ... of the first so many (`trainers.loop`)


@dataclass
class Eval:
    episodes: int = at_least_two(10_000)
    # Of the test episodes: those of a run are drawn from the sum of this and its seed.
    seed: int = field(default=0, metadata={"at_least": 0, "at_most": LARGEST, "traced": True})
    chunk: int = marked(nonnegative(0), not_hashed=True)  # measured at a time; 0: all that fit


@dataclass
class Population:
    seeds: int = field(default=1, metadata={"at_least": 1, "at_most": 2**16})  # seed, seed + 1, ... trained together
    chunk: int = marked(nonnegative(0), not_hashed=True)  # members trained at a time; 0: all
