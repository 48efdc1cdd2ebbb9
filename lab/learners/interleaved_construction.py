"""The Transformer on interleaved tokens, with weights set by hand so that its forward pass is gradient descent.

([VO23] proposition 3.) In the first layer the token of x_i attends to the token of y_i, which comes right after it, and
copies its y-slot, so that it becomes (x_i, y_i). All other tokens attend to the token of x_1, or with linear attention
to none, and copy 0. The layers after the first are those of `lab.learners.construction`. They neither read nor change
the tokens (0, y_i), which show no input.
"""

import jax
import jax.numpy as jnp
import numpy as np

from lab.config.choices import AttentionKind
from lab.learners import construction
from lab.learners.interleaved import InterleavedTransformer, Shape

SHARPNESS = 60.0  # softmax score of the copied token; a token with score 0 has the weight e^-60, about 1e-26


def constructed(shape: Shape, eta: float | jax.Array) -> InterleavedTransformer:
    """Return the Transformer that copies in its first layer, then takes `shape.num_layers` steps of rate eta from zero.

    Its predictions equal those of `GradientDescent`. The first head of each layer does all the work.
    """
    shapes = jax.eval_shape(lambda: InterleavedTransformer(shape, jax.random.key(0)))
    model = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)
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
    """Return the first layer's scores (P, P) over P positions: entry [s, t] is what position t gives to position s."""
    scores_PxP = np.zeros((shape.num_positions, shape.num_positions))
    input_positions = 2 * np.arange(shape.num_context)
    scores_PxP[input_positions + 1, input_positions] = 1.0
    if shape.first is AttentionKind.linear:
        return scores_PxP
    scores_PxP[0] += scores_PxP.sum(axis=0) == 0  # softmax weights add up to 1, so some token must be attended to
    return SHARPNESS * scores_PxP
