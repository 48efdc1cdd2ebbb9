"""How something is trained."""

import jax
from flax import struct

from lab.config.choices import Optimizer
from lab.config.training import Train, Training

LEARNING_RATES = {Optimizer.adam: 0.001, Optimizer.adamw: 0.001, Optimizer.muon: 0.003}  # where the settings have none


@struct.dataclass
class Recipe:
    """The learning rate warms up over a share of the steps and decays as a cosine; the gradient's global norm is
    clipped. Rate, clip and initial scale are traced: a population can differ in them.

    init_scale: variance of initial weights times the token width, for learners that ask.
    """

    steps: int = struct.field(pytree_node=False)
    batch_size: int = struct.field(pytree_node=False)
    warmup: float = struct.field(pytree_node=False, default=0.05)
    optimizer: Optimizer = struct.field(pytree_node=False, default=Optimizer.adam)
    learning_rate: jax.Array | float = 0.001
    clip_norm: jax.Array | float = 1.0
    init_scale: jax.Array | float = 0.02

    @classmethod
    def of(cls, train: Train | Training, num_layers: int) -> "Recipe":
        """As the settings have it. What they leave open depends on the depth: near the optimum of a deep stack a few
        episodes have huge gradients, along which Adam soon hardly moves any more (`trainers.optimizers.muon`)."""
        optimizer = train.optimizer or (Optimizer.adam if num_layers == 1 else Optimizer.muon)
        return cls(
            train.steps,
            train.batch_size,
            train.warmup,
            optimizer,
            LEARNING_RATES[optimizer] if train.learning_rate is None else train.learning_rate,
            train.clip_norm,
            train.init_scale,
        )
