"""Dual models of a whole language model: of families with biases, windows, groups and turned keys."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.duals.language_dual.measure import STEPS, heads_of, of_prompt, with_features
from tests.lab.language.folders import loaded

FAMILIES = ["gpt2", "bloom", "mistral", "qwen3"]  # learned positions; ALiBi; a window; groups and normalised heads
TOKENS = jnp.asarray([3, 17, 5, 9, 33, 41, 2, 8, 60, 7, 11, 20])
SHOWN, PADDING = 9, 4  # tokens of the demonstrations, and behind the prompt


def by_hand(model):
    """Return attention weights (L, H, T, T) and outputs (L, H, T, A) from the model's own scores."""
    visibility = model.visibility(len(TOKENS))
    layers = model.forward(model.embed(TOKENS, visibility.positions), visibility)
    masks = visibility.masks
    weights = []
    for layer, scores in enumerate(np.asarray(layers["scores"], np.float64)):
        seen = masks[1] if masks is not None and model.arch.local[layer] else visibility.mask
        exponentials = np.where(np.asarray(seen)[None], np.exp(scores - scores.max()), 0)
        weights.append(exponentials / exponentials.sum(axis=-1, keepdims=True))
    values = np.repeat(np.asarray(layers["values"], np.float64), model.arch.heads // model.arch.groups, axis=1)
    return np.stack(weights), np.stack(weights) @ values


@pytest.mark.parametrize("name", FAMILIES)
def test_numbers_of_a_prompt_are_those_of_its_scores(name):
    model = loaded(name)
    measured = jax.device_get(of_prompt(model, TOKENS, SHOWN, len(TOKENS)))
    weights, outputs = by_hand(model)
    assert measured["error"].max() < 1e-5
    np.testing.assert_allclose(measured["share"], weights[:, :, -1, :9].sum(-1).mean(axis=1), atol=1e-5)
    assert measured["distance"].shape == (model.arch.layers, STEPS)
    assert measured["distance"][:, -1].max() < 1e-9
    own = np.where(np.arange(12) < 9, 0, weights[:, :, -1])  # before any step: attention to the query's tokens alone
    values = np.repeat(np.asarray(heads_of(model, TOKENS)[2]), 1, axis=1)
    start = np.einsum("lhs,lhsa->lha", own / own.sum(axis=-1, keepdims=True), values)
    far = np.sum((start - outputs[:, :, -1]) ** 2, axis=-1) / np.sum(outputs[:, :, -1] ** 2, axis=-1)
    np.testing.assert_allclose(measured["distance"][:, 0], far.mean(axis=1), rtol=2e-3)
    np.testing.assert_allclose(measured["moved"], np.sqrt(far).mean(axis=1), rtol=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bloom", "qwen3"])
@pytest.mark.parametrize("sort", ["positive", "trigonometric"])
def test_errors_of_random_features_fall_as_of_a_mean(name, sort):
    """From 64 to 4,096 features the error of a mean falls by 8; medians of few heads are within a factor of 3 of it."""
    model = loaded(name)
    few, many = (
        np.median(
            [with_features(model, TOKENS, jax.random.key(seed), sort, count, len(TOKENS))["error"] for seed in range(6)]
        )
        for count in (64, 4096)
    )
    assert 8 / 3 < few / many < 24


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_padding_changes_no_number(name):
    model, count = loaded(name), len(TOKENS)
    longer = jnp.concatenate([TOKENS, jnp.full(PADDING, 50)])
    plain, with_padding = (of_prompt(model, tokens, SHOWN, count) for tokens in (TOKENS, longer))
    for column, values in jax.device_get(plain).items():
        np.testing.assert_allclose(with_padding[column], values, rtol=1e-4, atol=1e-6, err_msg=column)
    for sort in ("positive", "trigonometric"):
        plain, with_padding = (
            with_features(model, tokens, jax.random.key(0), sort, 256, count)["error"] for tokens in (TOKENS, longer)
        )
        np.testing.assert_allclose(with_padding, plain, rtol=1e-3, err_msg=sort)
