"""Fine-tuning of a language model on demonstrations, the counterpart of reading them in context [DAI].

Each demonstration is a sequence of its own, template and word, and gives one step of gradient descent on the mean
cross-entropy of its tokens, in their order. Only the projections to keys and values change, with their biases where
there are some, in float32 also where weights are bfloat16. This is what the source's program does: plain SGD without
momentum or decay, batches of one, no shuffling.
"""

import dataclasses
from collections.abc import Sequence

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


def loss_of(model: LanguageModel, tokens_T: jax.Array, weights_T: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the weighted cross-entropy of a sequence's tokens in nats, and the inputs of attention (L, T, D)."""
    visibility = model.visibility(len(tokens_T))
    layers = model.forward(model.embed(tokens_T, visibility.positions), visibility, None, ("inputs",))
    log_p_TxV = jax.nn.log_softmax(model.unembed(layers["last"]), axis=-1)
    log_p_T = jnp.take_along_axis(log_p_TxV[:-1], tokens_T[1:, None], axis=-1)[:, 0]
    return -jnp.sum(weights_T[1:] * log_p_T), layers["inputs"]


@jax.jit
def fine_tuned(model: LanguageModel, examples: Examples, rate: jax.Array | float) -> tuple[LanguageModel, jax.Array]:
    """Return the model after one step on each demonstration, and what its attention read of them.

    Args:
        rate: step size of the descent.

    Returns:
        The model, and the inputs (N, L, T, D) of its attention for the tokens of each demonstration, before the step on
        it. Without demonstrations the model is as it was, but for the type of what is tuned.
    """
    layers = model.params["layers"]
    start = {name: exact(layers[name]) for name in TUNED if name in layers}

    def with_tuned(tuned: Params) -> LanguageModel:
        return dataclasses.replace(model, params=model.params | {"layers": layers | tuned}, remat=True)

    def step(tuned: Params, example: Examples):
        def loss(tuned: Params):
            return loss_of(with_tuned(tuned), example.tokens, example.weights)

        gradient, inputs_LxTxD = jax.grad(loss, has_aux=True)(tuned)
        return jax.tree.map(lambda w, g: w - rate * g, tuned, gradient), inputs_LxTxD

    tuned, inputs_NxLxTxD = jax.lax.scan(step, start, examples)
    return dataclasses.replace(with_tuned(tuned), remat=model.remat), inputs_NxLxTxD
