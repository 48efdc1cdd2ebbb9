"""Dual models of a whole language model: of families with biases, windows, groups and turned keys."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics.cost import counted_flops
from experiments.duals.language_dual.measure import MAPS, STEPS, heads_of, of_prompt, with_features
from experiments.duals.language_dual.settings import LanguageDual
from experiments.duals.language_dual.sizes import sizes
from lab.language.families import arch_of
from lab.language.model import LanguageModel
from lab.language.shapes import init_params
from tests.lab.language.folders import loaded

FAMILIES = ["gpt2", "bloom", "mistral", "qwen3"]  # learned positions; ALiBi; a window; groups and normalised heads
TOKENS = jnp.asarray([3, 17, 5, 9, 33, 41, 2, 8, 60, 7, 11, 20])
SHOWN = (jnp.arange(12) < 9).astype(jnp.float32)


def by_hand(model):
    """Return attention weights (L, H, T, T) and outputs (L, H, T, A) from the model's own scores."""
    visibility = model.visibility(len(TOKENS))
    layers = model.forward(model.embed(TOKENS, visibility.positions), visibility)
    mask = visibility.mask if visibility.window is None else None
    weights = []
    for layer, scores in enumerate(np.asarray(layers["scores"], np.float64)):
        seen = visibility.window if mask is None and model.arch.local[layer] else visibility.mask
        exponentials = np.where(np.asarray(seen)[None], np.exp(scores - scores.max()), 0)
        weights.append(exponentials / exponentials.sum(axis=-1, keepdims=True))
    values = np.repeat(np.asarray(layers["values"], np.float64), model.arch.heads // model.arch.groups, axis=1)
    return np.stack(weights), np.stack(weights) @ values


@pytest.mark.parametrize("name", FAMILIES)
def test_numbers_of_a_prompt_are_those_of_its_scores(name):
    model = loaded(name)
    measured = jax.device_get(of_prompt(model, TOKENS, SHOWN))
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


@pytest.mark.parametrize("name", ["bloom", "qwen3"])
@pytest.mark.parametrize("sort", ["positive", "trigonometric"])
def test_errors_of_random_features_fall_as_of_a_mean(name, sort):
    """From 64 to 4,096 features the error of a mean falls by 8; medians of few heads are within a factor of 3 of it."""
    model = loaded(name)
    few, many = (
        np.median([with_features(model, TOKENS, jax.random.key(seed), sort, count)["error"] for seed in range(6)])
        for count in (64, 4096)
    )
    assert 8 / 3 < few / many < 24


def test_the_work_is_what_xla_counts_of_a_large_vocabulary_and_many_test_rows(tmp_path):
    """Of the test rows only `queries` are read, and no logits; XLA counts an operation as two."""
    config = {
        "model_type": "gpt2", "vocab_size": 50_000, "n_embd": 64, "n_layer": 1, "n_head": 1, "n_positions": 256,
        "n_inner": 256, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    text = "a few words " * 10
    (tmp_path / "texts.csv").write_text("text,label\n" + "".join(f"{text},{row % 2}\n" for row in range(2000)))
    settings = LanguageDual(seeds=3, queries=4, features=[64])
    settings.lm.path, settings.text.path = str(tmp_path), str(tmp_path / "texts.csv")
    arch = arch_of(config)
    model, tokens_T = LanguageModel(arch, init_params(arch, jax.random.key(0))), jnp.arange(3 * len(text) // 4)
    of_reading = counted_flops(of_prompt.lower(model, tokens_T, jnp.ones(len(tokens_T))).compile())
    for name in MAPS:
        args = (model, tokens_T, jax.random.key(0))
        of_reading += counted_flops(with_features.lower(*args, name=name, count=64).compile())
    assert 1 / 3 < sizes(settings).work / (3 * 4 * of_reading / 2) < 3
