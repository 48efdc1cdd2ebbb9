"""A language model's attention in a prompt, beside the dual models of its tokens [LRGD eqs. 8-11] and random features.

The initial matrix of a token's dual model is made of the query's tokens and the token itself, and its loss of the
demonstrations'. A bias b of ALiBi is a weight exp(b) of its token; heads of one group share keys and values.
"""

import functools

import jax
import jax.numpy as jnp

from lab import dual
from lab.attention.kernel import KernelAttention, average
from lab.features import FEATURE_MAPS, draw
from lab.language.model import LanguageModel

STEPS = 17  # shares of the demonstrations' tokens along the path, 0 and 1 among them


@jax.jit
def of_prompt(
    model: LanguageModel, tokens_T: jax.Array, example_tokens: jax.Array | int, count: jax.Array | int
) -> dict[str, jax.Array]:
    """Return numbers of each layer for one prompt, (L, ..).

    Args:
        tokens_T: the demonstrations, then the query, then padding, so that few programs serve prompts of all lengths.
        example_tokens: how many are the demonstrations'.
        count: how many are no padding.

    Returns:
        `error`, `share`, `norm` and `moved` (L,), as the columns `Layers` have them, and `distance`
        (L, STEPS) along the path of the last token.
    """

    def layer(heads):
        by_head = jax.lax.map(lambda head: _of_head(example_tokens, count, *head), heads)
        error = jnp.max(by_head.pop("error")) / jnp.max(by_head.pop("largest"))
        return {name: jnp.mean(each, axis=0) for name, each in by_head.items()} | {"error": error}

    return jax.lax.map(layer, heads_of(model, tokens_T))


def heads_of(model: LanguageModel, tokens_T: jax.Array) -> tuple[jax.Array, ...]:
    """Return queries, keys and values (L, H, T, A), and the weights (L, H, T, T) of tokens apart from kernel values:
    exp(bias) where one sees the other, and 0 elsewhere."""
    arch, visibility = model.arch, model.visibility(len(tokens_T))
    embedded = model.embed(tokens_T, visibility.positions)
    layers = model.forward(embedded, visibility, None, ("queries", "keys", "values"))
    k, v = (jnp.repeat(layers[name], arch.heads // arch.groups, axis=1) for name in ("keys", "values"))
    count = len(tokens_T)
    bias = jnp.zeros((arch.heads, count, count)) if visibility.bias is None else visibility.bias
    seen_LxTxT = jnp.broadcast_to(visibility.mask_of(visibility.layers), (arch.layers, count, count))
    weights = jnp.where(seen_LxTxT[:, None], jnp.exp(bias)[None], 0)
    return layers["queries"], k.astype(weights.dtype), v.astype(weights.dtype), weights


def _of_head(example_tokens, count, q_TxA, k_TxA, v_TxA, weight_TxT) -> dict[str, jax.Array]:
    places = jnp.arange(len(q_TxA))
    is_shown_T, is_token_Tx1 = (places < example_tokens).astype(q_TxA.dtype), (places < count)[:, None]
    scores_TxT = jnp.where(weight_TxT > 0, q_TxA @ k_TxA.T + jnp.log(jnp.maximum(weight_TxT, 1e-30)), -jnp.inf)
    attention_TxT = jax.nn.softmax(scores_TxT, axis=1)
    output_TxA = attention_TxT @ v_TxA

    def answer(t, learned_T):
        """Return the answer of token t's dual model after a step on some tokens of the demonstrations."""
        start_T = weight_TxT[t] * jnp.where(is_shown_T * (places != t), 0, 1)
        step_T = weight_TxT[t] * is_shown_T * (places != t) * learned_T
        return dual.attend(q_TxA[t][None], k_TxA, v_TxA, start_T, step_T)[0]

    answers_TxA = jax.lax.map(lambda t: answer(t, jnp.ones_like(is_shown_T)), places)
    last = count - 1
    shares = jnp.linspace(0.0, 1.0, STEPS)
    path_NxA = jax.lax.map(
        lambda share: answer(last, (places < jnp.round(share * example_tokens)).astype(q_TxA.dtype)), shares
    )
    size = jnp.sum(output_TxA[last] ** 2)
    query, key = _norm(q_TxA[last]), jnp.sum(jnp.linalg.norm(k_TxA, axis=1) * is_shown_T) / example_tokens
    return {
        "error": jnp.max(jnp.abs(answers_TxA - output_TxA) * is_token_Tx1),
        "largest": jnp.max(jnp.abs(output_TxA) * is_token_Tx1),
        "share": jnp.sum(attention_TxT[last] * is_shown_T),
        "norm": jnp.sqrt(query * key),  # no factor that queries and keys are scaled by changes it
        "moved": _norm(path_NxA[-1] - path_NxA[0]) / jnp.sqrt(size),
        "distance": jnp.sum((path_NxA - output_TxA[last][None]) ** 2, axis=1) / size,
    }


@functools.partial(jax.jit, static_argnames=("name", "features"))
def with_features(
    model: LanguageModel, tokens_T: jax.Array, key: jax.Array, name: str, features: int, count: jax.Array | int
) -> dict[str, jax.Array]:
    """Return the relative `error` (L, H) of the last token's output with random features, and whether the estimate of
    its normaliser is zero or `negative`.

    Queries and keys are scaled by reciprocal factors of each head to the same mean norm, which changes no score.

    Args:
        name: of the feature map. features: of each head. count: tokens that are no padding.
    """
    q, k, v, weights = heads_of(model, tokens_T)
    layers, heads, _, width = q.shape
    maps = draw(name, "orthogonal", key, features, width, layers, heads)
    places_T, last = jnp.arange(len(tokens_T)), count - 1

    def head(q_TxA, k_TxA, v_TxA, weight_TxT, of_head):
        q_A, weight_T = q_TxA[last], weight_TxT[last]
        k_TxA = k_TxA[jnp.minimum(places_T, last)]  # keys of padding would take part in the kernel's largest exponent
        norm = jnp.sum(jnp.linalg.norm(k_TxA, axis=1) * (places_T < count)) / count
        factor = jnp.sqrt(norm / _norm(q_A))
        kernel_1xT = KernelAttention(of_head).kernel(factor * q_A[None], k_TxA / factor) * weight_T[None]
        scores_T = q_A @ k_TxA.T + jnp.log(jnp.maximum(weight_T, 1e-30))
        output_A = jax.nn.softmax(jnp.where(weight_T > 0, scores_T, -jnp.inf)) @ v_TxA
        error = _norm(average(kernel_1xT, v_TxA)[0] - output_A) / _norm(output_A)
        return {"error": error, "negative": jnp.sum(kernel_1xT) <= 0}

    return jax.lax.map(lambda of_layer: jax.lax.map(lambda each: head(*each), of_layer), (q, k, v, weights, maps))


def _norm(x_A: jax.Array) -> jax.Array:
    return jnp.linalg.norm(x_A)


MAPS = tuple(name for name in FEATURE_MAPS if name != "hyperbolic")
