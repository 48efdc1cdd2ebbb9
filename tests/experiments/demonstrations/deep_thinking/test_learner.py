"""Deep-Thinking: what is exact about it, in double precision, and a plain loop that does the same."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.demonstrations.deep_thinking.learner import DeepThinking, recurrence
from lab.config.choices import Position
from lab.learners.decoder_block import Seen
from tasks.shifted_classes import ShiftedClasses
from tests.compiled import called, sampled
from tests.small_decoders import prompt_of, small_decoder

TASK = ShiftedClasses(num_context=4, num_queries=3, input_dim=3, num_classes=3)
T = 8


@pytest.fixture
def setting(float64):
    model = small_decoder(TASK, num_layers=4, num_groups=1, mlp_width=6)
    prompt = prompt_of(sampled(TASK, jax.random.key(1), 1))

    @jax.jit
    def think(eta, beta):
        learner = DeepThinking(model, T, eta, beta)
        return learner.think(prompt), learner.readouts(prompt)

    return model, prompt, think


@pytest.mark.slow
def test_one_iteration_is_plain_in_context_learning(setting):
    model, prompt, think = setting
    np.testing.assert_allclose(think(0.3, 0.5)[1][0], called(model, prompt), rtol=0, atol=1e-12)


def test_a_layer_is_still_and_the_next_follows_the_recurrence(setting):
    """Norms to 1e-12 of the first; the other layers do not follow it, so the statement is about the second alone."""
    _, _, think = setting
    for eta, beta in ((0.1, 0.9), (0.5, 0.0), (1.0, 0.3)):
        norms = think(eta, beta)[0].norms
        np.testing.assert_allclose(norms[:, 0], 0, atol=1e-12)
        expected = np.abs(recurrence(T, eta, beta)) * norms[1, 1]
        np.testing.assert_allclose(norms[:, 1], expected, rtol=0, atol=1e-12 * norms[1, 1])
        assert np.abs(norms[:, 2] - np.abs(recurrence(T, eta, beta)) * norms[1, 2]).max() > 1e-3 * norms[1, 2]


def test_the_fixed_point_is_reached_after_as_many_readings_as_layers_above_the_first(setting):
    _, _, think = setting
    norms = think(1.0, 0.0)[0].norms
    np.testing.assert_allclose(norms[4:], 0, atol=1e-11)
    assert norms[3, 3] > 1e-3


def test_every_stable_rate_and_momentum_has_the_same_fixed_point(setting):
    """0 < eta < 2 (1 + beta). The slowest of these moves by .5 of the rest in each reading: 2^-100 after 120."""
    model, prompt, think = setting
    exact = think(1.0, 0.0)[0]
    for eta, beta in ((0.5, 0.0), (1.5, 0.0), (0.3, 0.2)):
        last = jax.jit(lambda eta, beta: DeepThinking(model, 121, eta, beta).think(prompt))(eta, beta)
        np.testing.assert_allclose(last.keys[-1], exact.keys[-1], atol=1e-10)
        np.testing.assert_allclose(last.values[-1], exact.values[-1], atol=1e-10)


def test_it_is_the_loop_of_its_source(setting):
    """Two iterations by hand: another reading behind the history, then a step; the query behind the result."""
    model, prompt, think = setting
    x, seen, honest = called(model.tokens, prompt)
    count = len(x) - len(honest)
    mask = np.asarray(seen.mask)[:count, :count]
    first = called(lambda x: model.forward(x, Seen(mask, seen.positions[:count], None)), x[:count])
    keys, values = first["keys"], first["values"]
    behind = Seen(np.concatenate([np.ones_like(mask), mask], axis=1), seen.positions[:count], None)
    moved, reading = [0 * keys, 0 * values], jax.jit(lambda history: model.forward(x[:count], behind, history))
    for _ in range(2):
        again = reading((keys, values))
        moved = [again["keys"] - keys + 0.9 * moved[0], again["values"] - values + 0.9 * moved[1]]
        keys, values = keys + 0.2 * moved[0], values + 0.2 * moved[1]
    thought, readouts = think(0.2, 0.9)
    np.testing.assert_allclose(thought.keys[2], keys, atol=1e-12)
    answers = called(model.answer, prompt, (keys, values))
    np.testing.assert_allclose(readouts[2], answers, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("positions", [Position.rope, Position.alibi])
def test_positions_may_go_on_at_the_second_reading(positions, float64):
    """With an offset the first layer is not still any more where keys turn; with one iteration nothing has changed."""
    model = small_decoder(TASK, positions=positions)
    prompt = prompt_of(sampled(TASK, jax.random.key(1), 1))
    same, offset = (jax.jit(DeepThinking(model, 3, 0.5, 0.0, shifted).think)(prompt) for shifted in (False, True))
    np.testing.assert_allclose(same.norms[:, 0], 0, atol=1e-12)
    assert (offset.norms[1:, 0] > 1e-3).all() == (positions is Position.rope)
    np.testing.assert_allclose(offset.keys[0], same.keys[0], atol=1e-12)
    assert jnp.abs(offset.norms[1, 1] - same.norms[1, 1]) > 1e-6
