"""The Bayes-optimal answer to linear labels, by sampling, against integrals over all w."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.layouts.merged import TokenLayout
from lab.learners.posterior import Posterior, slice_step
from tasks.catalogue import FUNCTIONS
from tests.compiled import one_episode

KEY, SAMPLES = jax.random.key(0), 8000
# A chain of 6000 samples is worth some hundred independent ones: standard errors of up to .5 / sqrt(300) = .03.
CLOSE = 0.05


def asked(task, learner):
    prompt = one_episode(task, jax.random.key(3)).prompt
    result = np.exp(jax.jit(lambda prompt: learner(prompt))(prompt))
    np.testing.assert_allclose(result.sum(axis=1), 1, rtol=1e-5)
    return prompt, result[:, 1]


@pytest.mark.parametrize("slope", [1.0, 4.0])
def test_logistic_labels_against_an_integral_over_one_weight(slope):
    task = FUNCTIONS["logistic"](num_context=5, input_dim=1, slope=slope)
    prompt, result = asked(task, Posterior(TokenLayout.of(task), slope, SAMPLES, KEY))
    w = np.linspace(-8, 8, 20_001)
    weight = np.exp(-(w**2) / 2)
    for t, x in enumerate(np.asarray(prompt.query.x)[:, 0]):
        p = 1 / (1 + np.exp(-slope * w * x))
        assert result[t] == pytest.approx((weight * p).sum() / weight.sum(), abs=CLOSE)
        weight = weight * (p if prompt.answers[t, 1] else 1 - p)


def test_halfspaces_against_an_integral_over_directions():
    """Which of all directions of w have all labels so far right, and what do these say?"""
    task = FUNCTIONS["halfspaces"](num_context=6, input_dim=2)
    prompt, result = asked(task, Posterior(TokenLayout.of(task), 1e3, SAMPLES, KEY))
    angle = np.linspace(0, 2 * np.pi, 20_001)
    w = np.stack([np.cos(angle), np.sin(angle)])
    fits = np.ones(len(angle))
    for t, x in enumerate(np.asarray(prompt.query.x)):
        is_one = x @ w > 0
        assert result[t] == pytest.approx((fits * is_one).sum() / fits.sum(), abs=CLOSE)
        fits = fits * (is_one if prompt.answers[t, 1] else ~is_one)


def test_without_a_likelihood_the_chain_is_the_prior():
    step = jax.jit(lambda w, key: (slice_step(lambda w: jnp.zeros(()), w, key),) * 2)
    _, w_SxF = jax.lax.scan(step, jnp.full(3, 5.0), jax.random.split(KEY, 20_000))
    np.testing.assert_allclose(np.mean(w_SxF[100:], axis=0), 0, atol=0.05)
    np.testing.assert_allclose(np.cov(w_SxF[100:].T), np.eye(3), atol=0.05)
