"""The forward pass of every family against `transformers`, whose results golden/make.py wrote, without torch here.

Logits are about 3, and the sums behind them hold some hundred terms: 1e-5 is 25 times the rounding of one float32 of 3.
"""

import importlib.util
import json

import jax
import numpy as np
import pytest

from experiments.demonstrations.language_deep_thinking.measure import think
from lab.language.families import FAMILIES
from lab.language.model import LanguageModel
from lab.language.scoring import encode
from tests.lab.language.folders import CASES, config, from_arrays, golden, loaded
from tests.lab.language.golden import make

TOLERANCE = 1e-5


@jax.jit
def plain(model: LanguageModel, tokens_BxT):
    def one(tokens_T):
        visibility = model.visibility(len(tokens_T))
        layers = model.forward(model.embed(tokens_T, visibility.positions), visibility, None, ("outputs",))
        return model.unembed(layers["last"]), layers["outputs"]

    return jax.vmap(one)(tokens_BxT)


@jax.jit
def behind(model: LanguageModel, history, tokens_BxT):
    return jax.vmap(lambda tokens_T: model.logits(tokens_T, history))(tokens_BxT)


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE)


def test_every_family_has_a_case():
    assert {config(name)["model_type"] for name in CASES} == {*FAMILIES}
    assert {*CASES} == {*make.CASES}
    for name in CASES:  # a file says by what it was made
        assert {"transformers", "torch", "numpy"} == {*json.loads(str(golden(name)["versions"]))}


@pytest.mark.parametrize("name", CASES)
def test_logits_and_hidden_states(name):
    expected = golden(name)
    logits, outputs_BxLxTxD = plain(loaded(name), expected["plain_tokens"])
    close(logits, expected["plain"])
    close(np.swapaxes(outputs_BxLxTxD, 0, 1)[:-1], expected["hidden"][1:])


@pytest.mark.parametrize("name", CASES)
def test_padded_rows_behind_a_history(name):
    """The history is padded to 24 keys of which 9 are real, and rows to the longest of them."""
    expected, model = golden(name), loaded(name)
    history = encode(model, expected["past_tokens"])
    assert history.keys.shape[2] == 24
    logits = behind(model, history, expected["rows_tokens"])
    for row, length in enumerate(expected["rows_lengths"]):
        close(logits[row, :length], expected["rows"][row, :length])


@pytest.mark.parametrize("name", CASES)
def test_four_iterations_of_deep_thinking(name):
    expected, model = golden(name), loaded(name)
    *_, thought = think(model, expected["past_tokens"], 4, 0.1, 0.9)
    count = len(expected["past_tokens"])
    close(thought.history.keys[:, :, :count], expected["think_keys"])
    close(thought.history.values[:, :, :count], expected["think_values"])


@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="transformers is not installed")
@pytest.mark.parametrize("name", CASES)
def test_an_installed_transformers_gives_the_same(name):
    """Of weights that it draws, with another seed."""
    fresh = make.golden(name, seed=1000)
    logits, _ = plain(from_arrays(fresh), fresh["plain_tokens"])
    close(logits, fresh["plain"])
