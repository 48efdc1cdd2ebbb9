"""Fine-tuning of keys and values alone: its steps against derivatives of the model's logits, in double precision."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from experiments.demonstrations.language_finetune.tuning import examples_of, fine_tuned
from tests.lab.language.folders import doubled, loaded, random_model

FAMILIES = ["gpt2", "opt", "bloom", "qwen3"]  # with biases; ALiBi; groups, normalised keys and no bias
PROMPTS, ANSWERS = [[3, 17, 5, 9, 33], [41, 2, 8], [7, 11, 20, 12]], [[4], [6, 13], [4]]
KEYS_AND_VALUES = {"k", "v", "k_bias", "v_bias"}
RATE = 0.3


def mean_loss(params, model, tokens, first):
    """The mean cross-entropy of the tokens from `first` on, of one sequence without padding."""
    logits = model.replace(params=params).logits(jnp.asarray(tokens[:-1]))
    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(logits, jnp.asarray(tokens[1:]))[first - 1 :])


gradient_of = jax.jit(jax.grad(mean_loss), static_argnums=3)


def by_hand(model, sequences, label_alone):
    """The tuned layers after one step on each sequence, by derivatives of all weights."""
    for prompt, answer in sequences:
        tokens, first = [*prompt, *answer], len(prompt) if label_alone else 1
        gradient = gradient_of(model.params, model, np.array(tokens), first)["layers"]
        layers = model.params["layers"]
        tuned = {name: layers[name] - RATE * gradient[name] for name in KEYS_AND_VALUES & set(layers)}
        model = model.replace(params=model.params | {"layers": layers | tuned})
    return model


@pytest.mark.slow
@pytest.mark.parametrize(("name", "label_alone"), [*zip(FAMILIES, (False, True, True, False), strict=True)])
def test_each_demonstration_is_one_step_on_keys_and_values_alone(name, label_alone):
    with jax.enable_x64(True):
        model = doubled(loaded(name))
        examples = examples_of(PROMPTS, ANSWERS, 0, label_alone)
        tuned, inputs = fine_tuned(model, examples, RATE)
        expected = by_hand(model, zip(PROMPTS, ANSWERS, strict=True), label_alone)
        for key, array in expected.params["layers"].items():
            np.testing.assert_allclose(tuned.params["layers"][key], array, atol=1e-12)
            same = np.array_equal(np.asarray(array), np.asarray(model.params["layers"][key]))
            assert same == (key not in KEYS_AND_VALUES), key
        for key in set(model.params) - {"layers"}:
            assert tuned.params[key] is not None
            np.testing.assert_array_equal(tuned.params[key], model.params[key])
        visibility = model.visibility(6)
        read = model.forward(model.embed(jnp.asarray([*PROMPTS[0], *ANSWERS[0]]), visibility.positions), visibility)
        np.testing.assert_allclose(inputs[0][:, :6], read["inputs"], atol=1e-12)  # before any step


def test_the_derivative_is_that_of_finite_differences():
    """Along a random direction in the keys' and values' projections, of one demonstration."""
    with jax.enable_x64(True):
        model = doubled(random_model())
        examples = examples_of(PROMPTS[:1], ANSWERS[:1], 0, False)
        tuned, _ = fine_tuned(model, examples, 1.0)
        random = np.random.default_rng(0)
        layers, tokens, h = model.params["layers"], [*PROMPTS[0], *ANSWERS[0]], 1e-6
        direction = {name: random.standard_normal(layers[name].shape) for name in ("k", "v")}
        moved = [
            mean_loss(
                model.params | {"layers": layers | {n: layers[n] + sign * h * direction[n] for n in direction}},
                model, tokens, 1,
            )
            for sign in (1, -1)
        ]  # fmt: skip
        slope = sum(float(jnp.sum((layers[n] - tuned.params["layers"][n]) * direction[n])) for n in direction)
        assert slope == pytest.approx(float(moved[0] - moved[1]) / (2 * h), rel=1e-7)
        assert abs(slope) > 1e-3


def test_no_demonstrations_and_no_rate_leave_the_model_as_it_was():
    model, tokens = random_model(), jnp.asarray(PROMPTS[0])
    examples = examples_of(PROMPTS, ANSWERS, 0, False)
    none = jax.tree.map(lambda each: each[:0], examples)
    for tuned in (fine_tuned(model, none, RATE)[0], fine_tuned(model, examples, 0.0)[0]):
        np.testing.assert_array_equal(tuned.logits(tokens), model.logits(tokens))
    assert not np.array_equal(fine_tuned(model, examples, RATE)[0].logits(tokens), model.logits(tokens))


def test_small_steps_are_not_lost_in_bfloat16():
    """Eight bits would round a step of a thousandth of a weight away; copies in float32 move as float32 weights do."""
    model = random_model("bfloat16")
    examples = examples_of(PROMPTS, ANSWERS, 0, False)
    tuned, _ = fine_tuned(model, examples, 1e-3)
    before, after = model.params["layers"]["v"], tuned.params["layers"]["v"]
    assert after.dtype == jnp.float32
    moved = np.asarray(after) - np.asarray(before, np.float32)
    assert 0 < np.abs(moved).max() < 2**-9 * np.abs(np.asarray(before, np.float32)).max()
    assert np.isfinite(np.asarray(tuned.logits(jnp.asarray(PROMPTS[0])))).all()


def test_what_is_learned_and_whose_tokens_they_are():
    """Two tokens that every text begins with are learned, but for the first, and are not the demonstration's own."""
    every = examples_of([[1, 2, *PROMPTS[1]]], [ANSWERS[1]], 2, False)
    label = examples_of([[1, 2, *PROMPTS[1]]], [ANSWERS[1]], 2, True)
    np.testing.assert_allclose(every.weights[0], [0, *[1 / 6] * 6, *[0] * 9], atol=1e-7)
    np.testing.assert_allclose(label.weights[0], [*[0] * 5, 0.5, 0.5, *[0] * 9], atol=1e-7)
    np.testing.assert_array_equal(every.own[0], [False] * 2 + [True] * 5 + [False] * 9)
    np.testing.assert_array_equal(every.tokens[0], [1, 2, *PROMPTS[1], *ANSWERS[1], *[0] * 9])
