"""The recipe of a training: its steps, batch, optimiser and rates."""

from typing import Protocol, runtime_checkable

import jax
import optax
from flax import struct

from lab.config.base import Base
from lab.config.choices import Optimizer
from lab.config.training import Train, Training

LEARNING_RATES = {Optimizer.adam: 0.001, Optimizer.adamw: 0.001, Optimizer.muon: 0.003}  # for settings without one


@runtime_checkable
class HasTraining(Protocol):
    """Settings of a kind that trains something."""

    @property
    def train(self) -> Train | Training: ...


def training_of(settings: Base) -> Train | Training:
    """Return the section `train` of settings.

    Raises:
        TypeError: they are of a kind that trains nothing.
    """
    if not isinstance(settings, HasTraining):
        raise TypeError(f"{type(settings).__name__} has no section train")
    return settings.train


@struct.dataclass
class Recipe:
    """The numbers of a training: steps, batch, optimiser and its rates.

    The learning rate warms up over the share `warmup` of the steps and decays as a cosine; the gradient's global norm
    is clipped. Rate, clip and initial scale are traced, so the members of a population can differ in them.

    init_scale: variance of initial weights times the token width, for learners that use it.
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
        """Return the recipe of some settings.

        If they name no optimiser, it depends on the depth: near the optimum of a deep stack a few episodes have huge
        gradients, along which Adam soon hardly moves any more (`trainers.meta.muon`).
        """
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


def schedule(steps: int, warmup: float) -> optax.Schedule:
    """Return the learning rate as a share of the largest one, by the number of the step: up in a line, down as a
    cosine."""
    return optax.warmup_cosine_decay_schedule(
        init_value=0.0,
        peak_value=1.0,
        warmup_steps=min(round(warmup * steps), steps - 1),
        decay_steps=steps,
    )
