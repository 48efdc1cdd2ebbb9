"""Half-way between two Transformers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.learners.interpolation import interpolated
from lab.learners.learner import predict
from tasks.catalogue import TASKS
from tests.lab.makers import answer, by_hand_of, prompts_of, transformer


def rescaled(model, c, d):
    """The same function with other weights: W_K and P by c, W_Q and W_V by 1/c, then A / d and B d; documents by -c."""
    model = jax.tree.map(lambda a: a, model)
    for block in model.blocks:
        block.w_k[...], block.w_q[...] = c / d * block.w_k[...], block.w_q[...] / c
        block.p[...], block.w_v[...] = c * block.p[...], d / c * block.w_v[...]
        block.w_dk[...], block.w_dv[...] = -c * block.w_dk[...] * c, -block.w_dv[...] / c / c
    return model


@pytest.mark.slow
@pytest.mark.parametrize(("name", "recurrent"), [("plain", True), ("rag_linear", False), ("rag_dot", False)])
def test_interpolation_does_not_depend_on_the_scale_of_weights(name, recurrent, float64):
    task = TASKS[name](input_dim=3)
    options = {"num_layers": 2, "recurrent": recurrent}
    one, two = transformer(task, jax.random.key(1), **options), transformer(task, jax.random.key(2), **options)
    other, prompts = rescaled(one, 2.0, -3.0), prompts_of(task, 4)
    output, said_by_two = answer(one, prompts), answer(two, prompts)
    np.testing.assert_allclose(answer(other, prompts), output, rtol=1e-9)  # still the same function

    @jax.jit
    def between(first, second, weight=0.5):
        return predict(interpolated(first, second, weight), prompts)

    np.testing.assert_allclose(between(other, two), between(one, two), rtol=1e-9)
    np.testing.assert_allclose(between(one, other), output, rtol=1e-9)
    np.testing.assert_allclose(between(one, two, 0.0), output, rtol=1e-9)
    np.testing.assert_allclose(between(one, two, 1.0), said_by_two, rtol=1e-9)


def test_interpolation_counts_an_input_shown_twice_once(float64):
    """With f = (x, x), A's blocks can be moved into one another without changing the function, nor the mid-point."""
    task = TASKS["rag_dot"](input_dim=3)
    by_hand, moved = by_hand_of(task), by_hand_of(task)
    moved.blocks[0].w_k[...] = moved.blocks[0].w_k[...].at[0, :6, :6].set(jnp.kron(jnp.ones((2, 2)), jnp.eye(3)) / 2)
    prompts = prompts_of(task, 4)
    for model in (moved, jax.jit(interpolated)(moved, by_hand)):
        np.testing.assert_allclose(answer(model, prompts), answer(by_hand, prompts), atol=1e-13)


def test_interpolation_says_what_it_is_not_defined_for():
    task = TASKS["plain"]()
    with pytest.raises(ValueError, match="one head"):
        interpolated(transformer(task, num_heads=2), transformer(task, num_heads=2))
    with pytest.raises(ValueError, match="different shapes"):
        interpolated(transformer(task), transformer(task, num_layers=2))
