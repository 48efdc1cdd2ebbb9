"""The Transformer on interleaved tokens whose forward pass is gradient descent, by hand ([VO23] proposition 3).

In the first layer the token of x_i attends to that of y_i, which stands behind it, and takes its y-slot over: so it is
(x_i, y_i). All other tokens attend to that of x_1, or with linear attention to none, and take 0 over. The layers behind
are those of `lab.learners.construction`. Tokens (0, y_i) show no input, so these neither read them nor change them.
"""

import jax
import jax.numpy as jnp
import numpy as np

from lab.config.choices import AttentionKind
from lab.learners import construction
from lab.learners.interleaved import InterleavedTransformer, Shape

SHARPNESS = 60.0  # under softmax, the score of what is copied; a token with score 0 has the weight e^-60, about 1e-26


def constructed(shape: Shape, eta: float | jax.Array) -> InterleavedTransformer:
    """`shape.num_layers` steps of rate eta from zero, behind the layer that copies. The first head of each layer does
    all the work. Its predictions equal `GradientDescent`'s."""
    drawn = jax.eval_shape(lambda: InterleavedTransformer(shape, jax.random.key(0)))
    model = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), drawn)
    slots, inputs, features = np.arange(shape.tokens.token_dim), shape.inputs.feature_dim, shape.tokens.feature_dim
    is_input_D, is_answer_D = slots < inputs, slots >= features
    first, positions = model.first, np.s_[0, inputs:features, inputs:features]
    first.w_q[...] = first.w_q[...].at[positions].set(copied(shape))
    first.w_k[...] = first.w_k[...].at[0].set(np.diag(~is_input_D & ~is_answer_D))
    first.w_v[...] = first.w_v[...].at[0].set(np.diag(is_answer_D))
    first.p[...] = first.p[...].at[0].set(np.eye(len(slots)))
    steps = construction.constructed(shape.layers, eta, shape.num_context)
    for block, step in zip(model.blocks, steps.blocks, strict=True):
        block.w_v[...], block.p[...] = step.w_v[...], step.p[...]
        block.w_k[...], block.w_q[...] = (w[...] * is_input_D[None, :, None] for w in (step.w_k, step.w_q))
    return model


def copied(shape: Shape) -> np.ndarray:
    """(P, P): the scores that a token at the position of a column gives to those at the positions of the rows."""
    scores_PxP = np.zeros((shape.num_positions, shape.num_positions))
    of_inputs = 2 * np.arange(shape.num_context)
    scores_PxP[of_inputs + 1, of_inputs] = 1.0
    if shape.first is AttentionKind.linear:
        return scores_PxP
    scores_PxP[0] += scores_PxP.sum(axis=0) == 0  # softmax has to attend to something
    return SHARPNESS * scores_PxP
