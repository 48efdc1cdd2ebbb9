"""The Transformer with weights set by hand so that its forward pass is gradient descent.

([RAG-GD] eq. 8; [VO23] prop. 1.) One layer with one head and

    W_K = W_Q = [[I_f, 0], [0, 0]],   W_V = [[0, 0], [W_0, -I_y]],   P = (eta / N) I

turns the y-slot of every token from y into y - Delta W f, where Delta W is one gradient step from W_0 on
L(W) = 1/(2N) sum_i ||W f_i - y_i||^2. After it the y-slots hold the residuals of the model W_0 + Delta W, so applying
the same layer again is the next step.
"""

import jax
import jax.numpy as jnp

from lab.learners.linear_transformer import LinearTransformer, Shape


def constructed(
    shape: Shape, eta: float | jax.Array, num_context: int, initial_model: jax.Array | None = None
) -> LinearTransformer:
    """Return the Transformer that takes `shape.num_layers` gradient steps of rate eta from W_0.

    Its predictions equal those of `GradientDescent`. The first head of each layer does all the work; the other heads
    and the documents have zero weights.

    Args:
        num_context: N, the number of examples in every context.
        initial_model: W_0 (Y, F); None for zero.
    """
    layout = shape.layout
    shapes = jax.eval_shape(lambda: LinearTransformer(shape, jax.random.key(0)))
    model = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)
    w_0 = model.initial_model[...] if initial_model is None else jnp.asarray(initial_model)
    features, token = layout.feature_dim, layout.token_dim
    select_DxD = jnp.diag(jnp.arange(token) < features).astype(w_0.dtype)
    residual_DxD = (
        jnp.zeros((token, token)).at[features:].set(jnp.concatenate([w_0, -jnp.eye(layout.answer_dim)], axis=1))
    )
    model.initial_model[...] = w_0
    for block in model.blocks:
        block.w_k[...] = block.w_k[...].at[0].set(select_DxD)
        block.w_q[...] = block.w_q[...].at[0].set(select_DxD)
        block.w_v[...] = block.w_v[...].at[0].set(residual_DxD)
        block.p[...] = block.p[...].at[0].set(eta / num_context * jnp.eye(token))
    return model
