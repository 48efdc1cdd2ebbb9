"""Queries that keep the scales of the prompt without examples: what is frozen, and what is linear then."""

import jax
import numpy as np
import pytest

from lab.learners.frozen_scales import FrozenScales, forward
from lab.learners.shown import ZeroShot
from tests.compiled import called
from tests.lab.test_decoder import CASES, decoder_of, prompt_of

QUERIES = 3
EVERY = range(len(CASES))


def case_name(case):
    return "-".join(map(str, CASES[case])) or "plain"


@pytest.mark.parametrize("case", EVERY, ids=case_name)
def test_with_its_own_scales_it_is_the_decoder(case, float64):
    """The pass is written a second time, by scales and secants; the decoder's own are in no way special."""
    decoder, prompt = decoder_of(case, True), prompt_of()
    (trace, scales), expected = called(forward, decoder, prompt), called(lambda each, p: each.trace(p), decoder, prompt)
    for name in ("readouts", "outputs", "attended"):
        np.testing.assert_allclose(getattr(trace, name), getattr(expected, name), rtol=0, atol=1e-9, err_msg=name)
    again, same = called(forward, decoder, prompt, scales)
    np.testing.assert_allclose(again.readouts, trace.readouts, rtol=0, atol=1e-9)
    jax.tree.map(lambda one, other: np.testing.assert_allclose(one, other, rtol=0, atol=1e-9), scales, same)


def test_without_examples_it_is_the_decoder_and_with_them_it_is_not(float64):
    decoder, prompt = decoder_of(0, True), prompt_of()
    frozen = FrozenScales(decoder)
    nothing, expected = (
        called(lambda each, p: ZeroShot(each).trace(p).readouts, each, prompt) for each in (frozen, decoder)
    )
    np.testing.assert_allclose(nothing, expected, rtol=0, atol=1e-9)
    answers, own = called(lambda each, p: each(p), frozen, prompt), called(lambda each, p: each(p), decoder, prompt)
    assert np.abs(answers - own).max() > 1e-3


def test_the_tokens_of_the_examples_are_the_decoders(float64):
    decoder, prompt = decoder_of(0, True), prompt_of()
    trace = called(lambda each, p: each.trace(p), FrozenScales(decoder), prompt)
    expected = called(lambda each, p: each.trace(p), decoder, prompt)
    np.testing.assert_allclose(trace.outputs[:, :-QUERIES], expected.outputs[:, :-QUERIES], rtol=0, atol=1e-9)


def test_the_answer_is_linear_in_what_attention_adds_in_the_last_layer(float64):
    """W_O of the last layer is multiplied by 0, 1 and 2: the second difference of the answers is 0, and that of the
    decoder's own answers is not."""
    decoder, prompt = decoder_of(0, True), prompt_of()
    w_o = decoder.layers()[-1].w_o
    whole = w_o[...]
    scales = called(forward, decoder, prompt)[1]

    def answers(learner, factor):
        w_o[...] = factor * whole
        return np.asarray(called(learner, decoder, prompt))

    for learner, linear in (
        (lambda each, p: forward(each, p, scales)[0].readouts[-1], True),
        (lambda each, p: each(p), False),
    ):
        zero, one, two = (answers(learner, factor) for factor in (0.0, 1.0, 2.0))
        assert np.abs(two - zero).max() > 1e-3
        assert (np.abs(two - 2 * one + zero).max() < 1e-9) == linear
