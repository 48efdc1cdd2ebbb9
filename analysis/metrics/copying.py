"""Does the first layer of a Transformer on interleaved tokens copy answers to their inputs [VO23, figure 5]?

It is measured by the norm of the derivative of each token after that layer with respect to the content of each token: a
layer that copies makes a token depend on its partner, the other token of the same example, and on no other token.
"""

import jax
import jax.numpy as jnp
import numpy as np

from lab.learners.interleaved import InterleavedTransformer
from tasks.episode import Prompt

PROMPTS = 100  # over which norms are averaged


def dependence(model: InterleavedTransformer, prompts: Prompt) -> jax.Array:
    """Return how strongly each token after the first layer (row) depends on each token before it (column), (T, T).

    An entry is the Frobenius norm of the derivative of the first with respect to the content of the second, its input
    and answer but not its position, averaged over a batch of prompts. T = 2 N + Q: the context's tokens, then the
    queries'.
    """

    def one_prompt(prompt: Prompt) -> jax.Array:
        context_SxD, query_QxD = model.tokens(prompt)
        tokens_TxD = jnp.concatenate([context_SxD, query_QxD])
        slots_V = model.shape.shown  # the slots of a token that hold its content

        def merged(content_TxV: jax.Array) -> jax.Array:
            changed_TxD = tokens_TxD.at[:, slots_V].set(content_TxV)
            return jnp.concatenate(model.merged(changed_TxD[: len(context_SxD)], changed_TxD[len(context_SxD) :]))

        by_token_TxDxTxV = jax.jacfwd(merged)(tokens_TxD[:, slots_V])
        return jnp.sqrt(jnp.sum(by_token_TxDxTxV**2, axis=(1, 3)))

    return jnp.mean(jax.lax.map(one_prompt, prompts), axis=0)


def summary(dependence_TxT: np.ndarray, num_context: int) -> dict[str, float]:
    """Return means of the dependence between the context's tokens.

    Returns:
        `own`: of tokens on themselves; `next`: of inputs on their answers; `previous`: of answers on their inputs;
        `others`: of tokens on those of other examples, 0 where the context has a single example.
    """
    by_example_NxTxNxT = np.asarray(dependence_TxT, np.float64)[: 2 * num_context, : 2 * num_context].reshape(
        num_context, 2, num_context, 2
    )
    each = np.arange(num_context)
    within_NxTxT = by_example_NxTxNxT[each, :, each]
    others = by_example_NxTxNxT[~np.eye(num_context, dtype=bool)[:, None, :, None] & np.ones((1, 2, 1, 2), bool)]
    return {
        "own": float(within_NxTxT[:, [0, 1], [0, 1]].mean()),
        "next": float(within_NxTxT[:, 0, 1].mean()),
        "previous": float(within_NxTxT[:, 1, 0].mean()),
        "others": float(others.mean()) if others.size else 0.0,
    }
