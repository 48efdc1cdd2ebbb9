"""The arrays of a query's last token in all layers, where its answer is read: outputs and inputs of attention, scores
on the query's own tokens, and attention to each demonstration in front of the query."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from lab.language.model import History, LanguageModel
from lab.language.scoring import MULTIPLE, Tokens, exact, in_batches, padded

Trace = dict[str, np.ndarray]


def trace(
    model: LanguageModel,
    prompts: Sequence[Tokens],
    special: int | Sequence[int] = 0,
    history: History | None = None,
    bounds: Sequence[tuple[int, int]] = (),
    batch: int = 16,
) -> Trace:
    """Return the arrays of the last token of X prompts, on the host.

    Args:
        special: how many tokens in front of each prompt are not the query's own, for all prompts or for each.
        history: keys and values of the demonstrations, which every prompt has in front of it; None: nothing.
        bounds: the first token of each demonstration in the history, and the one behind its last.
        batch: prompts that the model reads at once.

    Returns:
        `attended` and `inputs` (X, L, D) of attention; `own` (X, L, H, P), scores before the softmax on the query's own
        tokens, 0 behind them. With N demonstrations also `weights` (X, L, N), the attention to each summed over heads
        and tokens, and `scores` (X, L, N), the logarithm of the sum, over a demonstration's tokens, of the exponentials
        of scores that are summed over heads.
    """
    special_X = np.broadcast_to(special, len(prompts))
    own = max(len(prompt) - count for prompt, count in zip(prompts, special_X, strict=True))
    width = -(-int(own) // MULTIPLE) * MULTIPLE
    order = sorted(range(len(prompts)), key=lambda place: -len(prompts[place]))
    slots = 0 if history is None else history.keys.shape[2]
    member_NxS = np.array([[first <= slot < end for slot in range(slots)] for first, end in bounds], bool)
    member_NxS = member_NxS.reshape(len(bounds), slots)
    traced: dict[str, list] = {}
    for chunk, full in in_batches(order, batch):
        rows = [prompts[place] for place in full]
        lengths_B = np.array([len(row) for row in rows])
        arrays = jax.device_get(_of_batch(model, history, padded(rows), lengths_B, special_X[full], member_NxS, width))
        for name, array in arrays.items():
            traced.setdefault(name, []).extend(array[: len(chunk)])
    back = np.argsort(order)
    return {name: np.stack(each)[back] for name, each in traced.items()}


@jax.jit(static_argnames=("width",))
def _of_batch(
    model: LanguageModel,
    history: History | None,
    tokens_BxT: jax.Array,
    lengths_B: jax.Array,
    special_B: jax.Array,
    member_NxS: jax.Array,
    width: int,
) -> dict[str, jax.Array]:
    def row(tokens_T, length, special):
        visibility = model.visibility(len(tokens_T), history)
        past = None if history is None else (history.keys, history.values)
        x_TxD = model.embed(tokens_T, visibility.positions)
        layers = model.forward(x_TxD, visibility, past, ("attended", "inputs", "scores"), length - 1)
        scores_LxHxS, slots = layers["scores"], member_NxS.shape[1]
        seen_LxS = jnp.atleast_2d(visibility.mask_of(visibility.layers)[..., length - 1, :])
        place_P = special + jnp.arange(width)
        own_LxHxP = jnp.take(scores_LxHxS[..., slots:], place_P, axis=-1, mode="clip")
        arrays = {name: exact(layers[name]) for name in ("attended", "inputs")}
        arrays["own"] = jnp.where(((place_P >= 0) & (place_P < length))[None, None], own_LxHxP, 0.0)
        if len(member_NxS):
            weights = jax.nn.softmax(scores_LxHxS, axis=-1, where=jnp.expand_dims(seen_LxS, 1))[..., :slots]
            arrays["weights"] = jnp.einsum("lhs,ns->ln", weights, member_NxS.astype(weights.dtype))
            scores_Lx1xS = jnp.sum(scores_LxHxS[..., :slots], axis=1, keepdims=True)
            counted = member_NxS[None] & jnp.expand_dims(seen_LxS[:, :slots], 1)
            arrays["scores"] = jax.nn.logsumexp(scores_Lx1xS, axis=-1, where=counted)
        return arrays

    return jax.vmap(row)(tokens_BxT, lengths_B, special_B)


def products(
    model: LanguageModel,
    read_NxLxTxD: jax.Array,
    own_NxT: jax.Array,
    inputs_XxLxD: np.ndarray,
    batch: int = 16,
) -> Trace:
    """Return the attention of layers that were tuned on N demonstrations to each of them, on the host.

    A linear layer that gradient descent has tuned answers x with sum_i e_i (x_i . x) more than before, which is linear
    attention to the x_i that it was tuned on [DAI]. The source's program has projected queries for x and a softmax over
    all tokens, the lab the inputs of attention and no softmax.

    Args:
        read_NxLxTxD: inputs of attention for the demonstrations' tokens, when each had its turn.
        own_NxT: which tokens are a demonstration's own.
        inputs_XxLxD: inputs of attention of the tuned model for the last token of each query.

    Returns:
        `inputs` (X, L, N), the sum over a demonstration's tokens of the products of inputs; and `projected` (X, L, N),
        the logarithm of the sum of the exponentials of the products of projected queries.
    """
    parts = []
    for chunk, full in in_batches(range(len(inputs_XxLxD)), batch):
        part = jax.device_get(_products(model, read_NxLxTxD, own_NxT, inputs_XxLxD[full]))
        parts.append({name: each[: len(chunk)] for name, each in part.items()})
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@jax.jit
def _products(
    model: LanguageModel, read_NxLxTxD: jax.Array, own_NxT: jax.Array, inputs_BxLxD: jax.Array
) -> dict[str, jax.Array]:
    def layer(weights_scale_read_inputs):
        weights, scale, read_NxTxD, inputs_BxD = weights_scale_read_inputs
        own_BxNxT = jnp.broadcast_to(own_NxT[None], (len(inputs_BxD), *own_NxT.shape))
        plain_BxNxT = jnp.einsum("ntd,bd->bnt", read_NxTxD, inputs_BxD)
        projected = [each @ weights["q"].astype(each.dtype) for each in (read_NxTxD, inputs_BxD)]
        if "q_bias" in weights:
            projected = [each + jnp.expand_dims(weights["q_bias"], range(each.ndim - 1)) for each in projected]
        read, queries = (scale * each for each in projected)
        return {
            "inputs": jnp.sum(plain_BxNxT, axis=-1, where=own_BxNxT),
            "projected": jax.nn.logsumexp(jnp.einsum("nte,be->bnt", read, queries), axis=-1, where=own_BxNxT),
        }

    read_LxNxTxD, inputs_LxBxD = (
        jnp.moveaxis(each.astype(jnp.promote_types(each.dtype, jnp.float32)), 1, 0)
        for each in (read_NxLxTxD, inputs_BxLxD)
    )
    names = [name for name in ("q", "q_bias") if name in model.params["layers"]]
    weights = {name: model.params["layers"][name] for name in names}
    scales_L = jnp.asarray(model.arch.scales, inputs_LxBxD.dtype)
    arrays = jax.lax.map(layer, (weights, scales_L, read_LxNxTxD, inputs_LxBxD))
    return {name: jnp.moveaxis(each, 0, 1) for name, each in arrays.items()}
