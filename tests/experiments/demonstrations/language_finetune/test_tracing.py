"""What is read off a query's last token: of padded prompts behind shared demonstrations, against one sequence each."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import logsumexp, softmax

from experiments.demonstrations.language_finetune.tracing import products, trace
from experiments.demonstrations.language_finetune.tuning import examples_of, fine_tuned
from lab.language.scoring import encode
from tests.lab.language.folders import loaded

FAMILIES = ["gpt2", "bloom", "mistral", "qwen3"]  # learned positions; ALiBi; a window; groups and normalised heads
SHOWN = [3, 17, 5, 9, 33, 41, 2]
BOUNDS = [(1, 3), (4, 7)]  # two demonstrations, with a separator between them
PROMPTS = [[8, 60, 7, 11], [20, 12, 5], [9, 33, 7, 7, 4]]


def whole(model, tokens):
    """All arrays of one sequence without padding, and the mask of each layer (L, T, T)."""
    visibility = model.visibility(len(tokens))
    layers = model.forward(model.embed(jnp.asarray(tokens), visibility.positions), visibility)
    plain = np.asarray(visibility.mask)
    local = model.arch.local or (False,) * model.arch.layers
    masks = np.stack([plain if not each else np.asarray(visibility.masks[1]) for each in local])
    return {name: np.asarray(each, np.float64) for name, each in layers.items()}, masks


@pytest.mark.slow
@pytest.mark.parametrize(("name", "batch"), [*zip(FAMILIES, (2, 16, 2, 16), strict=True)])
def test_behind_shared_demonstrations_as_in_a_prompt_of_its_own(name, batch):
    model = loaded(name)
    traced = trace(model, PROMPTS, 0, encode(model, SHOWN), BOUNDS, batch)
    for x, prompt in enumerate(PROMPTS):
        layers, masks = whole(model, [*SHOWN, *prompt])
        for key in ("attended", "inputs"):
            np.testing.assert_allclose(traced[key][x], layers[key][:, -1], atol=1e-5)
        scores = layers["scores"][:, :, -1]
        np.testing.assert_allclose(traced["own"][x][..., : len(prompt)], scores[..., len(SHOWN) :], atol=1e-5)
        assert not traced["own"][x][..., len(prompt) :].any()
        seen = masks[:, -1][:, None]
        weights = softmax(np.where(seen, scores, -np.inf), axis=-1)
        summed = np.where(seen[:, 0], scores.sum(axis=1), -np.inf)
        for n, (first, end) in enumerate(BOUNDS):
            np.testing.assert_allclose(traced["weights"][x][:, n], weights[..., first:end].sum((1, 2)), atol=1e-5)
            far = np.all(~seen[:, 0, first:end], axis=-1)  # a window may see none of it
            with np.errstate(divide="ignore"):
                expected = logsumexp(summed[:, first:end], axis=-1)
            np.testing.assert_allclose(
                traced["scores"][x][np.logical_not(far), n], expected[np.logical_not(far)], atol=1e-4
            )
            assert (traced["scores"][x][far, n] == -np.inf).all()


def test_tokens_in_front_of_every_text_are_not_the_querys_own():
    model = loaded("gpt2")
    traced = trace(model, [[1, 2, *prompt] for prompt in PROMPTS], 2)
    for x, prompt in enumerate(PROMPTS):
        layers, _ = whole(model, [1, 2, *prompt])
        np.testing.assert_allclose(traced["own"][x][..., : len(prompt)], layers["scores"][:, :, -1, 2:], atol=1e-5)
        assert not traced["own"][x][..., len(prompt) :].any()
    assert "weights" not in traced
    longer = [[1] * x + prompt for x, prompt in enumerate([[1, 2, *PROMPTS[0]], PROMPTS[1] * 5])]
    of_each = trace(model, longer, [2, 1])["own"]
    np.testing.assert_allclose(of_each[0], traced["own"][0], atol=1e-5)
    assert of_each.shape[-1] == 16, "the tokens of each prompt that are its own have a place, and no others"
    assert (of_each[1][..., :15] != 0).all()


@pytest.mark.parametrize("name", ["gpt2", "qwen3"])  # with a bias of queries, and without
def test_attention_of_tuned_layers_to_what_they_were_tuned_on(name):
    model = loaded(name)
    examples = examples_of([SHOWN, PROMPTS[0]], [[4], [6, 13]], 1, False)
    tuned, read = fine_tuned(model, examples, 0.1)
    asked = trace(tuned, PROMPTS)["inputs"]
    measured = products(tuned, read, examples.own, asked, 2)
    weights = {key: np.asarray(each, np.float64) for key, each in model.params["layers"].items()}
    for layer in range(model.arch.layers):

        def projected(inputs, layer=layer):
            queries = inputs @ weights["q"][layer] + (weights["q_bias"][layer] if "q_bias" in weights else 0)
            return queries * model.arch.scales[layer]

        for n, count in enumerate([8, 6]):
            tokens = np.asarray(read, np.float64)[n, layer, 1:count]
            for x in range(len(PROMPTS)):
                query = np.asarray(asked, np.float64)[x, layer]
                assert measured["inputs"][x, layer, n] == pytest.approx((tokens @ query).sum(), rel=1e-4, abs=1e-4)
                expected = logsumexp(projected(tokens) @ projected(query))
                assert measured["projected"][x, layer, n] == pytest.approx(expected, rel=1e-4, abs=1e-4)
