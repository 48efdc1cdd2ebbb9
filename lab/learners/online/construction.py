"""The fast-weight Transformer with weights set by hand so that its layers are passes of its rule's online learner.

In the first head W_K = W_Q select the features of a token, W_V selects its y-slot, and P takes what is read away from
the y-slot, which so holds the residual y - W f (as in [VO23], prop. 1, for linear attention). The state starts at W_0,
between the features' slots and the y-slot.
"""

import jax
import jax.numpy as jnp

from lab.attention.fast_weights.rule import Rule
from lab.learners.fast_weight_transformer import FastWeightTransformer
from lab.learners.gates import Gates, of_heads
from lab.learners.linear_transformer import Shape


def constructed_online(
    shape: Shape, rule: Rule, gates: Gates, initial_model: jax.Array | None = None, chunk: int | None = None
) -> FastWeightTransformer:
    """Return the Transformer whose answers are those of the learner with these gates, of one head, and W_0 (Y, F)."""
    layout, every = shape.layout, of_heads(gates, shape.num_heads)
    model = FastWeightTransformer(shape, rule, every, jax.random.key(0), init_scale=0.0, chunk=chunk)
    is_feature_D = (jnp.arange(layout.token_dim) < layout.feature_dim).astype(model.start[...].dtype)
    features_DxD, targets_DxD = jnp.diag(is_feature_D), jnp.diag(1 - is_feature_D)
    for block in model.blocks:
        for weights, matrix in ((block.w_k, features_DxD), (block.w_q, features_DxD), (block.w_v, targets_DxD),
                                (block.p, -targets_DxD)):  # fmt: skip
            weights[...] = weights[...].at[0].set(matrix)
    if initial_model is not None:
        model.start[...] = model.start[...].at[0, layout.feature_dim :, : layout.feature_dim].set(initial_model)
    return model
