"""One pass over interleaved tokens, against the decoder that has a token for each query."""

import jax
import numpy as np
import pytest

from lab.config.choices import AttentionKind, Position
from lab.layouts.merged import TokenLayout
from lab.layouts.sequence import Interleaved
from lab.learners.decoder import Decoder
from lab.learners.decoder_shape import Shape
from lab.learners.every_prefix import EveryPrefix
from tasks.catalogue import FUNCTIONS
from tests.compiled import called, one_episode

N = 5
TASK = FUNCTIONS["linear"](num_context=N, input_dim=3, noise=0.2)


def both(**options):
    shape = Shape(**{"layout": Interleaved(TokenLayout.of(TASK)), "num_context": N, "width": 8, "num_layers": 2,
                     "mlp_width": 5, "instructions": 2} | options)  # fmt: skip
    decoder = jax.jit(lambda key: Decoder(shape, key))(jax.random.key(0))
    return decoder, EveryPrefix(decoder)


def prompt():
    return one_episode(TASK, jax.random.key(1)).prompt


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"positions": Position.learned},
        {"positions": Position.rope, "instructions": 0},
        {"attention": AttentionKind.linear, "recurrent": True},
    ],
)
def test_the_answers_are_those_of_the_decoder_and_the_tokens_fewer(options, float64):
    decoder, once = both(**options)
    traces = [jax.jit(each.trace)(prompt()) for each in (decoder, once)]
    np.testing.assert_allclose(traces[1].readouts, traces[0].readouts, atol=1e-12)
    assert [trace.outputs.shape[1] - decoder.shape.instructions for trace in traces] == [3 * N, 2 * N]
    np.testing.assert_allclose(called(once, prompt()), traces[1].readouts[-1], atol=1e-12)


def test_an_answer_depends_on_the_examples_before_alone(float64):
    _, once = both()
    one = prompt()

    def answers(y):
        return once(one.replace(answers=y))[:, 0]

    slopes = np.asarray(jax.jit(jax.jacobian(answers))(one.answers))[..., 0]
    assert np.all(slopes[np.triu_indices(N)] == 0)
    assert np.all(slopes[np.tril_indices(N, -1)] != 0)


def test_other_prompts_are_answered_by_nan():
    _, once = both()
    one = prompt()
    moved = one.replace(query=one.query.replace(x=one.query.x.at[2].add(1.0)))
    seen = one.replace(visible=one.visible.at[3, 0].set(False))
    for other, places in ((moved, [2]), (seen, [3]), (one.replace(visible=None), range(N))):
        expected = np.isin(np.arange(N), list(places))
        np.testing.assert_array_equal(np.isnan(np.asarray(called(once, other))[:, 0]), expected)
    assert not np.isnan(np.asarray(called(once, one))).any()
