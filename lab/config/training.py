"""How a model is trained that an experiment measures only at the end. No JAX here."""

from dataclasses import dataclass, field

from lab.config.choices import Optimizer
from tasks.settings import above_zero, positive


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
