"""Shifted prompts: the properties that each is named for."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tasks.catalogue import FUNCTIONS
from tasks.prompt_shift import INPUTS, PromptShift
from tests.compiled import sampled

KEY, COUNT, D = jax.random.key(0), 7, 4
TASK = FUNCTIONS["linear"](num_context=COUNT, input_dim=D)


def drawn(shape, batch=50, **numbers):
    episodes = sampled(PromptShift(TASK, shape=shape, **numbers), KEY, batch)
    return episodes, np.asarray(episodes.prompt.context.x), np.asarray(episodes.prompt.query.x)


def test_no_shift_is_the_task_itself():
    """But for noise, which its own number hides."""
    result, own = drawn("same")[0], sampled(TASK, KEY, 50)
    jax.tree.map(np.testing.assert_array_equal, result, own)


@pytest.mark.parametrize("shape", sorted(INPUTS))
def test_lengths_of_inputs_stay_and_with_them_the_second_moment(shape):
    """Within 5 standard errors over episodes; of queries that there are."""
    episodes, context, query = drawn(shape, batch=4000)
    asked = query.any(axis=(0, 2))
    for values, expected in (
        ((context**2).sum(axis=-1), D),
        ((query**2).sum(axis=-1)[:, asked], D),
        (np.asarray(episodes.target)[:, asked, 0] ** 2, D),
    ):
        mean_B = np.asarray(values, np.float64).mean(axis=1)
        assert abs(mean_B.mean() - expected) < 5 * mean_B.std() / np.sqrt(len(mean_B)) + 1e-4


def test_skewed_inputs_have_their_variances():
    """Eigenvalues of the covariance over many inputs of one episode: proportional to 1, 1/4, 1/9, 1/16."""
    x = np.asarray(INPUTS["skewed"](KEY, jax.random.normal(KEY, (1, 20_000, D)))[0])[0]
    result = np.sort(np.linalg.eigvalsh(np.cov(x.T)))[::-1]
    expected = 1 / np.arange(1, D + 1) ** 2
    np.testing.assert_allclose(result, expected * D / expected.sum(), rtol=0.06)  # 5 times sqrt(2 / 20,000)


def test_half_of_the_dimensions():
    _, context, _ = drawn("subspace")
    assert np.all(np.linalg.matrix_rank(context, tol=1e-4) == D // 2)


def test_one_orthant_each():
    _, context, query = drawn("orthants")
    for x in (context, query):
        np.testing.assert_array_equal(np.sign(x), np.broadcast_to(np.sign(x[:, :1]), x.shape))
    same = np.sign(context[:, 0]) == np.sign(query[:, 0])
    assert 0.3 < same.mean() < 0.7  # 200 coin flips


def test_queries_are_orthogonal_to_what_they_see():
    _, context, query = drawn("orthogonal")
    for t in range(D):
        assert np.abs(np.einsum("bnx,bx->bn", context[:, :t], query[:, t])).max(initial=0) < 1e-4
    assert np.all(query[:, D:] == 0)


def test_queries_are_among_what_they_see():
    _, context, query = drawn("repeated", batch=2000)
    places = []
    for t in range(1, COUNT):
        same = (context[:, :t] == query[:, t, None]).all(axis=-1)
        assert np.all(same.sum(axis=1) == 1)
        places.append(same.mean(axis=0))
    assert np.abs(places[-1] - 1 / (COUNT - 1)).max() < 5 * np.sqrt(1 / COUNT / 2000)
    assert not (context == query[:, :1]).all(axis=-1).any()  # the first one sees none


def test_scales_and_noise_multiply_and_add():
    base = drawn("same")[0]
    wide, steep = drawn("same", alpha=3.0)[0], drawn("same", teacher=3.0)[0]
    np.testing.assert_allclose(wide.prompt.context.x, 3 * base.prompt.context.x, rtol=1e-6)
    np.testing.assert_allclose(wide.target, 3 * base.target, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(steep.prompt.context.x, base.prompt.context.x)
    np.testing.assert_allclose(steep.target, 3 * base.target, rtol=1e-5)
    assert PromptShift(TASK, 3.0, 2.0).second_moment == D * 36
    noisy = drawn("same", batch=2000, more_noise=2.0)[0]
    noise = np.asarray(noisy.prompt.answers - noisy.target)
    assert abs(noise.std() - 2) < 5 * 2 / np.sqrt(2 * noise.size)


def test_numbers_of_a_shift_are_traced():
    sample = jax.jit(lambda task: task.sample(KEY, 2).prompt.answers)
    for number in ("alpha", "teacher", "more_noise"):
        sample(PromptShift(TASK, **{number: jnp.asarray(2.0)}))
    assert sample._cache_size() <= 3
