"""What the first layer of a Transformer on interleaved tokens makes of them [VO23, figure 5].

The norm of the derivative of each token behind that layer with respect to what each token shows: a layer that copies
makes tokens depend on their partner, the other token of the same example, and on no other.
"""

import jax
import jax.numpy as jnp
import numpy as np

from lab.learners.interleaved import InterleavedTransformer
from tasks.episode import Prompt

PROMPTS = 100  # that are averaged over


def dependence(model: InterleavedTransformer, prompts: Prompt) -> jax.Array:
    """(T, T): of the token of the row on what that of the column shows, its input and its answer but not its position;
    Frobenius norms, averaged over a batch of prompts. T = 2 N + Q, the context's tokens and then the queries'."""

    def one_prompt(prompt: Prompt) -> jax.Array:
        context_SxD, query_QxD = model.tokens(prompt)
        tokens_TxD = jnp.concatenate([context_SxD, query_QxD])
        shown_D = model.shape.shown

        def merged(shown_TxV: jax.Array) -> jax.Array:
            changed_TxD = tokens_TxD.at[:, shown_D].set(shown_TxV)
            return jnp.concatenate(model.merged(changed_TxD[: len(context_SxD)], changed_TxD[len(context_SxD) :]))

        by_token_TxDxTxV = jax.jacfwd(merged)(tokens_TxD[:, shown_D])
        return jnp.sqrt(jnp.sum(by_token_TxDxTxV**2, axis=(1, 3)))

    return jnp.mean(jax.lax.map(one_prompt, prompts), axis=0)


def summary(dependence_TxT: np.ndarray, num_context: int) -> dict[str, float]:
    """Means over the context's tokens: `own`, of tokens on themselves; `next`, of those of inputs on those of their
    answers; `previous`, of those of answers on those of their inputs; `others`, on tokens of other examples."""
    by_example_NxTxNxT = np.asarray(dependence_TxT, np.float64)[: 2 * num_context, : 2 * num_context].reshape(
        num_context, 2, num_context, 2
    )
    each = np.arange(num_context)
    within_NxTxT = by_example_NxTxNxT[each, :, each]
    of_others = by_example_NxTxNxT[~np.eye(num_context, dtype=bool)[:, None, :, None] & np.ones((1, 2, 1, 2), bool)]
    return {
        "own": float(within_NxTxT[:, [0, 1], [0, 1]].mean()),
        "next": float(within_NxTxT[:, 0, 1].mean()),
        "previous": float(within_NxTxT[:, 1, 0].mean()),
        "others": float(of_others.mean()) if of_others.size else 0.0,
    }
