"""What softmax attention can do in place of a step of gradient descent, and what it cannot."""

import jax
import jax.numpy as jnp
import numpy as np

from lab.layouts.merged import TokenLayout
from lab.learners.attention_stacks import SoftmaxTransformer
from lab.learners.descent import GradientDescent
from tasks.catalogue import TASKS
from tests.lab.makers import KEY, answer, prompts_of, shape_of


def test_two_opposite_heads_of_small_scores_are_a_step_of_gradient_descent(float64):
    """[VO23] eq. 18-21: softmax(k^T q) - softmax(-k^T q) = (2 k^T q - its mean over the context) / N + O(score^3), a
    step on centred inputs, and here the inputs' mean is zero. The error falls as the square of the scores' scale."""
    task = TASKS["plain"](input_dim=2, num_context=6)
    prompts = prompts_of(task, 5)
    x = prompts.context.x
    prompts = prompts.replace(context=prompts.context.replace(x=x - jnp.mean(x, axis=1, keepdims=True)))
    expected = answer(GradientDescent(TokenLayout.of(task), 0.7), prompts)

    def error(scale):
        model = SoftmaxTransformer(shape_of(task, num_heads=2), KEY)
        model = jax.tree.map(jnp.zeros_like, model)
        block, eye = model.blocks[0], jnp.eye(3)
        block.w_k[...] = jnp.stack([eye, eye])
        on_x = scale * jnp.diag(jnp.array([1.0, 1.0, 0.0]))
        block.w_q[...] = jnp.stack([on_x, -on_x])
        on_y = jnp.diag(jnp.array([0.0, 0.0, -1.0]))
        block.w_v[...] = jnp.stack([on_y, -on_y])
        block.p[...] = 0.7 / (2 * scale) * jnp.stack([eye, eye])
        return np.max(np.abs(answer(model, prompts) - expected))

    assert error(0.01) < 1e-4
    np.testing.assert_allclose(error(0.1) / error(0.01), 100, rtol=0.05)


def test_one_softmax_head_answers_within_the_values():
    """A head is a mean with positive weights: without a residual's help its answer lies between the least and the
    largest target, which no step of gradient descent does."""
    task = TASKS["plain"](input_dim=2, num_context=6)
    prompts = prompts_of(task, 50)
    model = SoftmaxTransformer(shape_of(task), KEY, 1.0)
    block = model.blocks[0]
    block.w_v[...], block.p[...] = -jnp.eye(3)[None], jnp.eye(3)[None]
    answers = np.asarray(answer(model, prompts))[:, 0, 0]
    targets = np.asarray(prompts.answers)[:, :, 0]
    assert np.all((targets.min(axis=1) <= answers) & (answers <= targets.max(axis=1)))
