"""Fine-tuning of a language model on demonstrations, the counterpart of reading them in context [DAI].

Each demonstration is a sequence of its own, template and word, and gives one step of gradient descent on the mean
cross-entropy of its tokens, in their order. Only the projections to keys and values change, with their biases where
there are some, in float32 also where weights are bfloat16. This is what the source's program does: plain SGD without
momentum or decay, batches of one, no shuffling.
"""

import dataclasses
import functools
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from lab.language.model import LanguageModel, Params
from lab.language.scoring import Tokens, exact, padded

TUNED = ("k", "v", "k_bias", "v_bias")  # the arrays of a layer that change


@struct.dataclass
class Examples:
    """N demonstrations as sequences that are learned, padded on the right.

    tokens: (N, T). weights: (N, T) of the cross-entropy of each token, 0 for the first one and for padding, with the
    sum 1 in each demonstration. own: (N, T), whether a token is the demonstration's: neither padding nor put in front
    of every text by the tokenizer.
    """

    tokens: jax.Array
    weights: jax.Array
    own: jax.Array


def examples_of(prompts: Sequence[Tokens], answers: Sequence[Tokens], special: int, label_alone: bool) -> Examples:
    """Return demonstrations as they are learned.

    Args:
        prompts: the tokens before each answer, with those that every text begins with.
        special: how many tokens every text begins with.
        label_alone: whether the tokens of answers are learned, and not the template's.
    """
    tokens_NxT = padded([[*prompt, *answer] for prompt, answer in zip(prompts, answers, strict=True)])
    place_1xT = np.arange(tokens_NxT.shape[1])[None]
    begin_Nx1, end_Nx1 = (
        np.array([[len(prompt) + extra * len(answer)] for prompt, answer in zip(prompts, answers, strict=True)])
        for extra in (0, 1)
    )
    learned_NxT = (place_1xT >= (begin_Nx1 if label_alone else 1)) & (place_1xT < end_Nx1)
    weights_NxT = learned_NxT / learned_NxT.sum(axis=1, keepdims=True)
    own_NxT = (place_1xT >= special) & (place_1xT < end_Nx1)
    return Examples(jnp.asarray(tokens_NxT), jnp.asarray(weights_NxT), jnp.asarray(own_NxT))


Loss = Callable[[LanguageModel, jax.Array, jax.Array], tuple[jax.Array, jax.Array]]


def loss_of(model: LanguageModel, tokens_T: jax.Array, weights_T: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the weighted cross-entropy of a sequence's tokens in nats, and the inputs of attention (L, T, D)."""
    visibility = model.visibility(len(tokens_T))
    layers = model.forward(model.embed(tokens_T, visibility.positions), visibility, None, ("inputs",))
    return cross_entropy(model, layers["last"], tokens_T, weights_T), layers["inputs"]


def cross_entropy(model: LanguageModel, x_TxD: jax.Array, tokens_T: jax.Array, weights_T: jax.Array) -> jax.Array:
    """Return the weighted cross-entropy of the tokens that the head gives to tokens behind a layer."""
    log_p_TxV = jax.nn.log_softmax(model.unembed(x_TxD), axis=-1)
    log_p_T = jnp.take_along_axis(log_p_TxV[:-1], tokens_T[1:, None], axis=-1)[:, 0]
    return -jnp.sum(weights_T[1:] * log_p_T)


@functools.partial(jax.jit, static_argnames=("loss",))
def fine_tuned(
    model: LanguageModel, examples: Examples, rate: jax.Array | float, loss: Loss = loss_of
) -> tuple[LanguageModel, jax.Array]:
    """Return the model after one step on each demonstration, and what its attention read of them.

    Args:
        rate: step size of the descent.
        loss: of a model on one demonstration.

    Returns:
        The model, and the inputs (N, L, T, D) of its attention for the tokens of each demonstration, before the step on
        it. Without demonstrations the model is as it was, but for the type of what is tuned.
    """

    def step(tuned: Params, example: Examples):
        gradient, inputs_LxTxD = gradient_of(model, tuned, example, loss)
        return jax.tree.map(lambda w, g: w - rate * g, tuned, gradient), inputs_LxTxD

    tuned, inputs_NxLxTxD = jax.lax.scan(step, start_of(model), examples)
    return with_tuned(model, tuned), inputs_NxLxTxD


@jax.jit
def by_full_batch(model: LanguageModel, examples: Examples, rate: jax.Array | float) -> tuple[LanguageModel, jax.Array]:
    """Return the model after one step on all demonstrations at once, by the sum of their gradients: to first order in
    the rate what `fine_tuned` does. Args and returns as `fine_tuned`."""
    start = start_of(model)

    def add(total: Params, example: Examples):
        gradient, inputs_LxTxD = gradient_of(model, start, example, loss_of)
        return jax.tree.map(jnp.add, total, gradient), inputs_LxTxD

    total, inputs_NxLxTxD = jax.lax.scan(add, jax.tree.map(jnp.zeros_like, start), examples)
    return with_tuned(model, jax.tree.map(lambda w, g: w - rate * g, start, total)), inputs_NxLxTxD


def start_of(model: LanguageModel) -> Params:
    """Return the arrays that change, in float32 at least."""
    layers = model.params["layers"]
    return {name: exact(layers[name]) for name in TUNED if name in layers}


def with_tuned(model: LanguageModel, tuned: Params) -> LanguageModel:
    """Return the model with these arrays in its layers."""
    return dataclasses.replace(model, params=model.params | {"layers": model.params["layers"] | tuned})


def gradient_of(model: LanguageModel, tuned: Params, example: Examples, loss: Loss) -> tuple[Params, jax.Array]:
    """Return the gradient of the loss of one demonstration, and the inputs (L, T, D) of attention."""

    remat = dataclasses.replace(model, remat=True)

    def of_tuned(tuned: Params):
        return loss(with_tuned(remat, tuned), example.tokens, example.weights)

    return jax.grad(of_tuned, has_aux=True)(tuned)
