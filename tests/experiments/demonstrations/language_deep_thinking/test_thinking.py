"""Deep-Thinking of a language model: what is exact about it, in double precision."""

import dataclasses
from typing import Any, cast
from unittest import mock

import jax
import numpy as np
import pytest

from experiments.demonstrations.deep_thinking.learner import recurrence
from experiments.demonstrations.language_deep_thinking.measure import _read_again, think
from lab.errors import ConfigError
from lab.language.model import LanguageModel
from lab.language.scoring import Query, encode, padded, score
from tests.lab.language.folders import config, doubled, loaded, random_model

TOKENS = [3, 17, 5, 9, 33, 41, 2, 8, 60, 7, 11]  # padded to 16
QUERIES = [Query([5, 6, 7], [[8], [9, 4]]), Query([9] * 18, [[4, 5], [7]])]
FAMILIES = ["gpt2", "bloom", "gptj", "opt_after", "gpt_neo", "mistral", "qwen3"]


def thoughts(model, *arguments, **options):
    return [*think(model, TOKENS, *arguments, **options)]


@pytest.mark.parametrize("offset", [True, False])
def test_one_iteration_is_in_context_learning(offset):
    """To the bit: it is the same program's keys, and no re-reading has happened."""
    model = random_model()
    (thought,) = thoughts(model, 1, 0.1, 0.9, offset=offset)
    np.testing.assert_array_equal(score(model, QUERIES, thought.history).sums,
                                  score(model, QUERIES, encode(model, TOKENS)).sums)  # fmt: skip
    assert not thought.key_norms.any()


@pytest.mark.parametrize("name", FAMILIES)
def test_with_the_same_positions_the_first_layer_is_still_and_the_second_follows_the_recurrence(name, float64):
    """Not where a window hides keys: a token read again sees other slots than at first. The third layer is the control:
    it does not follow the recurrence."""
    model = doubled(loaded(name))
    if model.arch.window:
        model = without_window(model)
    eta, beta, iterations = 0.3, 0.5, 6
    results = thoughts(model, iterations, eta, beta, offset=False)
    expected = np.abs(recurrence(iterations, eta, beta))
    for norms in (np.stack([each.key_norms for each in results]), np.stack([each.value_norms for each in results])):
        np.testing.assert_allclose(norms[:, 0], 0, atol=1e-12)
        np.testing.assert_allclose(norms[:, 1], expected * norms[1, 1], rtol=0, atol=1e-12 * norms[1, 1])
        assert np.abs(norms[:, 2] - expected * norms[1, 2]).max() > 1e-3 * norms[1, 2]


@pytest.mark.parametrize(("name", "moves"), [("gpt2", True), ("qwen3", True), ("bloom", False)])
def test_positions_that_go_on_move_the_keys_of_the_first_layer_where_keys_hold_them(name, moves, float64):
    """BLOOM's hold none; GPT-2's and Qwen's do, and go along the recurrence of the second layer from that."""
    results = thoughts(doubled(loaded(name)), 5, 0.3, 0.5, offset=True)
    norms = np.stack([each.key_norms for each in results])
    np.testing.assert_allclose(norms[:, 0], np.abs(recurrence(5, 0.3, 0.5)) * norms[1, 0], rtol=0, atol=1e-11)
    assert (norms[1, 0] > 1e-2) == moves
    still = not moves or name == "qwen3"  # turning changes keys, and not the values
    np.testing.assert_allclose(results[1].value_norms[0] > 1e-12, not still)


@pytest.mark.parametrize("offset", [True, False])
def test_a_step_of_one_without_momentum_is_one_reading_behind_the_first(offset, float64):
    model = doubled(random_model())
    first, second = thoughts(model, 2, 1.0, 0.0, offset=offset)
    count = len(TOKENS)

    @jax.jit
    def again(tokens_T):
        """Read behind the first reading, without padding in front of it."""
        history = first.history
        plain = dataclasses.replace(history, keys=history.keys[:, :, :count], values=history.values[:, :, :count])
        visibility = model.visibility(count, plain, count if offset else 0)
        return model.forward(model.embed(tokens_T, visibility.positions), visibility, (plain.keys, plain.values))

    read = again(np.array(TOKENS))
    np.testing.assert_allclose(second.history.keys[:, :, :count], read["keys"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(second.history.values[:, :, :count], read["values"], rtol=0, atol=1e-12)
    gap = np.asarray(read["keys"] - first.history.keys[:, :, :count])
    np.testing.assert_allclose(second.key_norms, np.sqrt(np.sum(gap**2, axis=(1, 2, 3))), rtol=1e-12)


def test_rates_are_traced_and_iterations_share_a_program():
    model, program = random_model(), cast(Any, _read_again)
    first = program._cache_size()
    for eta, beta, offset in ((0.1, 0.9, True), (0.01, 0.0, False)):
        thoughts(model, 4, eta, beta, offset=offset)
    assert program._cache_size() == first + 1


def test_small_steps_are_not_lost_where_weights_are_bfloat16():
    """Steps of .001 of keys of about 1 are less than the last of bfloat16's 8 bits. The movement is that of K~ and M in
    float32: both sides read in bfloat16, so it is the sum of eta M, and not zero."""
    model = random_model("bfloat16")
    results = thoughts(model, 3, 1e-3, 0.0)
    assert results[0].history.keys.dtype == np.float32
    moved = np.asarray(results[2].history.keys - results[0].history.keys)[:, :, : len(TOKENS)]
    norms = np.sqrt(np.sum(moved**2, axis=(1, 2, 3)))
    expected = 1e-3 * (results[1].key_norms + results[2].key_norms)
    np.testing.assert_allclose(norms, expected, rtol=0.02)  # the two gaps are nearly parallel


def test_positions_are_counted_before_anything_is_read():
    model = random_model()
    tokens = [1] * 33
    with pytest.raises(ConfigError, match="the demonstrations, read again: needs 66 positions, and the model has 64"):
        next(think(model, tokens, 2, 0.1, 0.9))
    next(think(model, tokens, 2, 0.1, 0.9, offset=False))
    next(think(model, tokens, 1, 0.1, 0.9))


def test_padding_changes_nothing(float64):
    """Eleven tokens are padded to 24; padded to 32 they give the same keys."""
    model = doubled(random_model())
    results = thoughts(model, 3, 0.3, 0.9)
    name = "experiments.demonstrations.language_deep_thinking.measure.padded_history"
    with mock.patch(name, lambda tokens: padded([tokens], 32)[0]):
        longer = thoughts(model, 3, 0.3, 0.9)
    count = len(TOKENS)
    assert longer[2].history.keys.shape[2] == 32
    np.testing.assert_allclose(
        longer[2].history.keys[:, :, :count], results[2].history.keys[:, :, :count], rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(longer[2].key_norms, results[2].key_norms, rtol=1e-12)


def without_window(model: LanguageModel) -> LanguageModel:
    assert config("mistral")["sliding_window"] < len(TOKENS)
    return dataclasses.replace(model, arch=dataclasses.replace(model.arch, window=0, local=()))
