"""Training on prompts of a log that come from the host: pure functions of one member of a population.

Shape suffixes: S steps, B prompts of a batch, M = n + k interactions of a prompt, k targets, F features.
"""

import jax
import jax.numpy as jnp
import optax
from flax import nnx, struct

from lab.layouts.stream import NOTHING, Stream
from lab.learners.stream_decoder import StreamDecoder
from trainers import meta
from trainers.recipe import Recipe
from trainers.recipe import Stream as Streams


@struct.dataclass
class Batch:
    """As `tasks.logs.prompts.Prompts.batch` gives it: features (B, M, F), label (B, M), is_target (B, k); several with
    further axes in front."""

    features: jax.Array
    label: jax.Array
    is_target: jax.Array


@struct.dataclass
class Member:
    """key: of the run. recipe: how it is trained. unknown: the probability that a token of a training batch is read as
    its column's unknown one. unknown_F: that token, for each feature."""

    key: jax.Array
    recipe: Recipe
    unknown: jax.Array
    unknown_F: jax.Array


def train(
    state: meta.TrainState, batches: Batch, count: jax.Array, member: Member
) -> tuple[meta.TrainState, jax.Array]:
    """So many more steps.

    Args:
        batches: (S, B, ...), those of the next steps.
        count: how many of them are taken; traced, so that one program serves any number.

    Returns:
        The new state, and the loss of each step's batch before its update, (S,), NaN from `count` on. A loss that is
        not a finite number freezes the decoder as it is.
    """
    graph, parameters, fixed = nnx.split(state.learner, nnx.Param, ...)
    update = meta.optimizer(member.recipe).update
    key = jax.random.fold_in(member.key, Streams.training)

    def step(place, carried):
        carry, losses_S = carried
        batch = jax.tree.map(lambda leaf: leaf[place], batches)
        features = hidden(batch.features, member, jax.random.fold_in(key, state.step + place))

        def loss(parameters):
            return mean_loss(nnx.merge(graph, parameters, fixed), batch.replace(features=features))

        carry, value = meta.moved(carry, update, *jax.value_and_grad(loss)(carry[0]))
        return carry, losses_S.at[place].set(value)

    losses_S = jnp.full(len(batches.label), jnp.nan)
    carry = (parameters, state.optimizer, state.alive)
    (parameters, optimizer_state, alive), losses_S = jax.lax.fori_loop(0, count, step, (carry, losses_S))
    learner = nnx.merge(graph, parameters, fixed)
    return meta.TrainState(learner, optimizer_state, state.step + count, alive), losses_S


def hidden(features: jax.Array, member: Member, key: jax.Array) -> jax.Array:
    """Features (B, M, F) of which some that are there have become their column's unknown token."""
    hides = jax.random.bernoulli(key, member.unknown, features.shape) & (features != NOTHING)
    return jnp.where(hides, jnp.broadcast_to(member.unknown_F, features.shape), features)


def logits(decoder: StreamDecoder, batch: Batch) -> jax.Array:
    """(B, k, 2), of which only those of targets mean anything."""
    return jax.vmap(decoder.logits)(Stream(batch.features, batch.label, batch.is_target.shape[-1]))


def mean_loss(decoder: StreamDecoder, batch: Batch) -> jax.Array:
    """Cross-entropy (nats), averaged over the targets of a batch."""
    label_Bxk = jnp.maximum(batch.label[:, -batch.is_target.shape[-1] :], 0)
    losses_Bxk = optax.softmax_cross_entropy_with_integer_labels(logits(decoder, batch), label_Bxk)
    return jnp.sum(losses_Bxk, where=batch.is_target) / jnp.sum(batch.is_target)
