"""Low-rank factors of a language model: two paths against merged weights, gradients against others."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.errors import ConfigError
from lab.language import lora
from lab.language.lora import PROJECTIONS
from tests.lab.language.folders import doubled, loaded, random_model

TOKENS = jnp.asarray([3, 17, 5, 9, 33, 41, 2, 8])
RANK, ALPHA = 3, 6.0
SCALE = ALPHA / RANK
GPT2 = tuple(name for name in PROJECTIONS if name != "gate")
CASES = [("llama", PROJECTIONS), ("llama", ("q", "down")), ("gpt2", GPT2)]


def moved(model, names):
    """Factors of which none is zero."""
    factors = lora.begin(model, names, RANK, jax.random.key(1))
    keys = iter(jax.random.split(jax.random.key(2), len(names)))
    return {
        name: each | {"b": 0.1 * jax.random.normal(next(keys), each["b"].shape, each["b"].dtype)}
        for name, each in factors.items()
    }


def loss(model):
    return jnp.mean(jax.nn.log_softmax(model.logits(TOKENS))[:-1, TOKENS[1:]] ** 2)


def model_of(name):
    return random_model() if name == "llama" else loaded(name)


@pytest.mark.parametrize(("name", "names"), CASES)
def test_at_the_start_nothing_changes(name, names):
    model = model_of(name)
    factors = lora.begin(model, names, RANK, jax.random.key(0))
    np.testing.assert_array_equal(lora.adapted(model, factors, ALPHA).logits(TOKENS), model.logits(TOKENS))
    assert {*factors} == {*names}
    for name_, each in factors.items():
        count, inputs, outputs = model.params["layers"][name_].shape
        assert each["a"].shape == (count, inputs, RANK)
        assert each["b"].shape == (count, RANK, outputs)
        assert np.var(each["a"]) == pytest.approx(1 / inputs, rel=0.4)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "names"), CASES)
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_two_paths_are_the_merged_weights(name, names, precision, request):
    if precision == "float64":
        request.getfixturevalue("float64")
    model = doubled(model_of(name)) if precision == "float64" else model_of(name)
    factors = moved(model, names)
    two = lora.adapted(model, factors, ALPHA).logits(TOKENS)
    merged = lora.merged(model, factors, ALPHA)
    assert two.dtype == precision
    largest = np.abs(two).max()
    np.testing.assert_allclose(two, merged.logits(TOKENS), rtol=0,
                               atol=(1e-12 if precision == "float64" else 2e-6) * largest)  # fmt: skip
    assert np.abs(two - model.logits(TOKENS)).max() > 1e-3 * largest
    assert jax.tree.map(jnp.shape, merged.params) == jax.tree.map(jnp.shape, model.params)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "names"), CASES)
def test_its_gradient_is_that_of_the_merged_model_by_hand_and_by_differences(name, names, float64):
    """With G the gradient in W, the factors have (alpha / r) G B^T and (alpha / r) A^T G."""
    model = doubled(model_of(name))
    factors = moved(model, names)
    gradient = jax.grad(lambda factors: loss(lora.adapted(model, factors, ALPHA)))(factors)
    whole = jax.grad(loss)(lora.merged(model, factors, ALPHA)).params["layers"]
    for each in names:
        a, b, g = (np.asarray(x) for x in (factors[each]["a"], factors[each]["b"], whole[each]))
        for got, expected in ((gradient[each]["a"], SCALE * g @ b.swapaxes(1, 2)),
                              (gradient[each]["b"], SCALE * a.swapaxes(1, 2) @ g)):  # fmt: skip
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * max(1, np.abs(expected).max()))
    direction = jax.tree.map(lambda leaf: jnp.cos(jnp.arange(leaf.size)).reshape(leaf.shape), factors)
    along = sum(jnp.sum(g * d) for g, d in zip(*map(jax.tree.leaves, (gradient, direction)), strict=True))

    def at(step):
        return loss(lora.adapted(model, jax.tree.map(lambda f, d: f + step * d, factors, direction), ALPHA))

    differences = [(at(step) - at(-step)) / (2 * step) for step in (1e-4, 5e-5)]
    assert abs(differences[1] - along) < abs(differences[0] - along) / 3.5, "of second order"
    assert float(differences[1]) == pytest.approx(float(along), rel=1e-4)


def test_factors_of_a_model_in_bfloat16_are_float32():
    model = random_model("bfloat16")
    factors = moved(model, PROJECTIONS)
    assert {leaf.dtype.name for leaf in jax.tree.leaves(factors)} == {"float32"}
    merged = lora.merged(model, factors, ALPHA)
    assert {leaf.dtype.name for leaf in jax.tree.leaves(merged.params)} == {"bfloat16"}
    two = np.asarray(lora.adapted(model, factors, ALPHA).logits(TOKENS), np.float64)
    exact = np.asarray(lora.merged(random_model(), moved(random_model(), PROJECTIONS), ALPHA).logits(TOKENS))
    assert np.abs(two - exact).max() < 0.05 * np.abs(exact).max()


def test_a_projection_that_the_model_has_not_is_refused():
    with pytest.raises(ConfigError, match=r"lora\.projections=gate: the model has q, k, v, o, up, down"):
        lora.begin(loaded("gpt2"), ["q", "gate"], RANK, jax.random.key(0))
