"""Layer-causal descent against a model of two layers that is written out here, in double precision."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.demonstrations.language_finetune import layer_causal
from experiments.demonstrations.language_finetune.tuning import by_full_batch, examples_of, fine_tuned
from tests.experiments.demonstrations.language_finetune.test_tuning import ANSWERS, PROMPTS, RATE
from tests.lab.language.folders import doubled, loaded, random_model

TWO = {"num_hidden_layers": 2, "num_attention_heads": 1, "num_key_value_heads": 1, "tie_word_embeddings": True}


def norm(weight, x):
    return x / jnp.sqrt(jnp.mean(x**2, axis=-1, keepdims=True) + 1e-6) * weight[None]


def turned(x, base=10000.0):
    half = x.shape[1] // 2
    angle = jnp.arange(len(x))[:, None] / base ** (jnp.arange(half)[None] / half)
    a, b = x[:, :half], x[:, half:]
    return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), b * jnp.cos(angle) + a * jnp.sin(angle)], axis=1)


@jax.jit
def one_layer(keys, values, rest, x):
    """A Llama's layer of one head, as a function of its two projections that change."""
    read = norm(rest["attention_norm"], x)
    scores = turned(read @ rest["q"]) @ turned(read @ keys).T / np.sqrt(rest["q"].shape[1])
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape, bool)), scores, -jnp.inf)
    x = x + jax.nn.softmax(scores) @ (read @ values) @ rest["o"]
    read = norm(rest["mlp_norm"], x)
    return x + (jax.nn.silu(read @ rest["gate"]) * (read @ rest["up"])) @ rest["down"]


def loss_of_layer(keys, values, rest, model, x, tokens):
    """The loss of a model that ends behind this layer, of tokens x that are given."""
    logits = norm(model.params["norm"], one_layer(keys, values, rest, x)) @ model.params["embed"].T
    return -jnp.mean(jnp.stack([jax.nn.log_softmax(logits[t])[tokens[t + 1]] for t in range(len(tokens) - 1)]))


gradient_of = jax.jit(jax.grad(loss_of_layer, argnums=(0, 1)))


@pytest.mark.slow
def test_two_layers_learn_one_after_the_other_from_what_is_below():
    with jax.enable_x64(True):
        model = doubled(random_model(**TWO))
        layers = [{name: each[place] for name, each in model.params["layers"].items()} for place in (0, 1)]
        for prompt, answer in zip(PROMPTS, ANSWERS, strict=True):
            tokens = jnp.asarray([*prompt, *answer])
            x, steps = model.params["embed"][tokens], []
            for layer in layers:
                steps.append(gradient_of(layer["k"], layer["v"], layer, model, x, tokens))
                x = one_layer(layer["k"], layer["v"], layer, x)  # before the step
            layers = [
                layer | {"k": layer["k"] - RATE * k, "v": layer["v"] - RATE * v}
                for layer, (k, v) in zip(layers, steps, strict=True)
            ]
        tuned, _ = layer_causal.fine_tuned(model, examples_of(PROMPTS, ANSWERS, 0, False), RATE)
        for place, layer in enumerate(layers):
            for name, array in layer.items():
                np.testing.assert_allclose(tuned.params["layers"][name][place], array, atol=1e-11)
        assert np.abs(np.asarray(layers[0]["v"] - model.params["layers"]["v"][0])).max() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "opt", "bloom", "qwen3"])
def test_the_last_layer_learns_as_by_fine_tuning_and_none_below_does(name):
    with jax.enable_x64(True):
        model, examples = doubled(loaded(name)), examples_of(PROMPTS[:1], ANSWERS[:1], 0, False)
        causal, read = layer_causal.fine_tuned(model, examples, RATE)
        plain, same = fine_tuned(model, examples, RATE)
        np.testing.assert_allclose(read, same, atol=1e-12)
        assert type(causal) is type(model)
        for key in {"k", "v", "k_bias", "v_bias"} & set(model.params["layers"]):
            one, other = (np.asarray(each.params["layers"][key]) for each in (causal, plain))
            np.testing.assert_allclose(one[-1], other[-1], atol=1e-12)
            assert np.abs(one[:-1] - other[:-1]).max() > (0 if key == "k_bias" else 1e-6)  # no key's bias matters


@pytest.mark.slow
@pytest.mark.parametrize("above", [1, 2])
def test_what_a_layer_learns_does_not_change_with_the_layers_above_it(above):
    with jax.enable_x64(True):
        model, examples = doubled(random_model()), examples_of(PROMPTS[:1], ANSWERS[:1], 0, False)
        layers = {name: each.at[above:].set(each[above:][::-1] + 0.1) for name, each in model.params["layers"].items()}
        other = dataclasses.replace(model, params=model.params | {"layers": layers})
        for descent, alike in ((layer_causal.fine_tuned, True), (fine_tuned, False)):
            one, two = (descent(each, examples, RATE)[0].params["layers"]["v"][:above] for each in (model, other))
            assert np.allclose(one, two, rtol=0, atol=1e-14) == alike


def test_one_step_on_all_demonstrations_is_blind_to_their_order_and_the_first_order_of_one_after_the_other():
    with jax.enable_x64(True):
        model, examples = doubled(random_model()), examples_of(PROMPTS, ANSWERS, 0, False)
        turned_round = jax.tree.map(lambda each: each[::-1], examples)

        def moved(descent, which, rate):
            return np.asarray(descent(model, which, rate)[0].params["layers"]["v"] - model.params["layers"]["v"])

        one, other = (moved(by_full_batch, each, RATE) for each in (examples, turned_round))
        np.testing.assert_allclose(one, other, atol=1e-14)
        assert np.abs(moved(fine_tuned, examples, RATE) - moved(fine_tuned, turned_round, RATE)).max() > 1e-5
        gaps = [
            np.abs(moved(fine_tuned, examples, rate) - moved(by_full_batch, examples, rate)).max()
            for rate in (1e-3, 1e-4)
        ]
        assert gaps[0] / gaps[1] == pytest.approx(100, rel=0.05)  # of second order in the rate
