"""Two sentences of the source on the dual model are taken by their words [LRGD section 3.3].

W_0 = c V_T phi(K_T)^T is said to depend on the instruction tokens alone, but c sums the kernel over all tokens. The
loss is said to compute cosines of labels v_i and samples W phi(k_i), but L_ICL has their products.
"""

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.dual_form.forms import explicit_start
from experiments.duals.dual_form.heads import Head
from experiments.duals.dual_form.rows import Measured, Statement, distance, lost_share
from lab import dual

STATEMENTS = {
    "start_demonstrations": Statement(
        "With half of the demonstrations W_0 is another matrix, as its normalizer sums over all tokens.",
        relation="different",
        share=True,
    ),
    "cosine_loss": Statement(
        "L_ICL is not the sum of the cosines of labels and samples, and a step on these does not lead to attention.",
        relation="different",
    ),
}


def measure(head: Head, rate) -> Measured:
    """Return the distances of one head. Each query has a model and a loss of its own."""
    left_out_S = head.demonstrations_S * (np.cumsum(head.demonstrations_S) % 2)
    errors = jax.vmap(lambda query_F, c: _cosines(head, query_F, c, rate))(head.features_QxF, head.normalizer)
    losses_Q, cosine_losses_Q, answers_QxC = errors
    return {
        "start_demonstrations": {"features": starts_apart(head, head.without(left_out_S))},
        "cosine_loss": {
            "the loss": distance(cosine_losses_Q, losses_Q),
            "its step": distance(answers_QxC, head.attention),
        },
    }


def starts_apart(head: Head, other: Head) -> jax.Array:
    """Return the distance of W_0 of two prompts with the same instruction tokens, as a share of the first one."""
    first, second = (jax.vmap(lambda c, each=each: explicit_start(each, c))(each.normalizer) for each in (head, other))
    return lost_share(second, first, 0.0)


def _cosines(head: Head, query_F, c, rate) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return L_ICL at W_0, the same with cosines in place of products, and the answer (C,) after a step on these."""

    def cosine_loss(model_CxF):
        samples_SxC = head.features_SxF @ model_CxF.T
        lengths_S = jnp.linalg.norm(samples_SxC, axis=1) * jnp.linalg.norm(head.values_SxC, axis=1)
        labels_SxC = head.values_SxC / lengths_S[:, None]
        return dual.loss(samples_SxC, labels_SxC, head.demonstrations_S, c, rate)

    start_CxF = explicit_start(head, c)
    loss = dual.loss(head.features_SxF @ start_CxF.T, head.values_SxC, head.demonstrations_S, c, rate)
    model_CxF = start_CxF - rate * jax.grad(cosine_loss)(start_CxF)
    return loss, cosine_loss(start_CxF), model_CxF @ query_F
