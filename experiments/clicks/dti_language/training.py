"""Training of low-rank factors on prompts of a log: pure functions round one scan. The model itself stays as it is."""

import jax
import jax.numpy as jnp
import optax
from flax import struct

from experiments.clicks.click_log.training import Batch, sum_of_losses
from lab.language import lora
from lab.language.lora import Factors
from lab.language.model import LanguageModel
from lab.language.stream import Reader, Reading
from trainers import meta
from trainers.recipe import Recipe


@struct.dataclass
class State:
    """Factors in training, and the state of their optimiser."""

    factors: Factors
    optimizer: optax.OptState


def begin(factors: Factors, recipe: Recipe) -> State:
    """Return the state before the first step."""
    return State(factors, meta.optimizer(recipe).init(factors))


def take_steps(
    model: LanguageModel, state: State, batches: Batch, recipe: Recipe, alpha: float, reading: Reading
) -> tuple[State, jax.Array]:
    """Take one step on each batch, and return the state and the losses (S,): mean cross-entropy over targets, in nats.

    Args:
        batches: with an axis S in front.
    """
    update = meta.optimizer(recipe).update

    def loss(factors: Factors, batch: Batch) -> jax.Array:
        reader = Reader(lora.adapted(model, factors, alpha), reading)
        return sum_of_losses(reader, batch) / jnp.sum(batch.is_target)

    def step(state: State, batch: Batch) -> tuple[State, jax.Array]:
        value, gradient = jax.value_and_grad(loss)(state.factors, batch)
        change, optimizer = update(gradient, state.optimizer, state.factors)
        return State(jax.tree.map(jnp.add, state.factors, change), optimizer), value

    return jax.lax.scan(step, state, batches)
