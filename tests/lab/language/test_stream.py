"""Prompts of many targets that a language model reads, in float64 on the Llama architecture: against a plain sequence,
key by key, and against sliding windows with the theorems of `tests.lab.test_stream_theorems`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct

from lab.config.choices import StreamScheme
from lab.language import stream as streams
from lab.language.stream import Reading
from lab.layouts.stream import NOTHING, Stream
from lab.learners.stream_schemes import SCHEMES, Summary
from tests.compiled import called
from tests.lab.language.folders import doubled, random_model
from tests.lab.test_stream_theorems import APART, ROUNDING, C, M, N, apart

pytestmark = pytest.mark.usefixtures("float64")

LABELS, SUMMARY = (50, 51), 52
TEXTS = [[3], [4, 5, 6], [7, 8], [9, 10, 11, 12], [13], [14, 15]]  # the features of six interactions
TOLD = [1, 0, 0, 1, 1, 0]
logits = jax.jit(streams.logits, static_argnames="reading")
# [SUM]s attend as tokens do, and no state is reset.
READ = [name for name in StreamScheme if SCHEMES[name].reset is None and SCHEMES[name].summary is Summary.same]


@struct.dataclass
class Decoder(streams.Reader):
    """What `apart` asks of a decoder."""

    def packed(self, num_targets):
        return self


def reading(scheme, window=N, length=M * C):
    return Reading(LABELS, SUMMARY, SCHEMES[StreamScheme(scheme)], window, length)


def decoder(scheme, layers):
    return Decoder(doubled(random_model(num_hidden_layers=layers)), reading(scheme))


def stream_of(first, last, targets):
    width = max(map(len, TEXTS))
    tokens = np.full((last - first, width), NOTHING)
    for row, text in enumerate(TEXTS[first:last]):
        tokens[row, : len(text)] = text
    return Stream(jnp.asarray(tokens), jnp.asarray(TOLD[first:last]), targets)


def test_schemes_that_need_other_attention_are_not_read():
    assert [each.value for each in READ] == ["naive", "no_id", "local", "split", "full"]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["naive", "no_id", "full"])
def test_a_sliding_window_is_a_plain_text_with_a_summary_at_its_end(scheme):
    """Texts of unequal lengths, read without the slots that are empty, or with some of them."""
    model = doubled(random_model())
    words = [word for text, label in zip(TEXTS[:-1], TOLD, strict=False) for word in (*text, LABELS[label])]
    plain = called(model.logits, jnp.asarray([*words, *TEXTS[-1], SUMMARY]))[-1, jnp.asarray(LABELS)]
    for length in (len(words) + 3, len(words) + 6, 10**6):
        read = logits(model, stream_of(0, 6, 1), reading(scheme, 5, length))
        np.testing.assert_allclose(read[0], plain, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("scheme", READ)
@pytest.mark.parametrize("layers", [1, 3])
def test_masks_and_positions_token_by_token(scheme, layers):
    targets, window = 3, 2
    limits = SCHEMES[scheme].reach.limits
    counts = SCHEMES[scheme].count_summaries
    tokens, summaries, position = [], [], 0  # (interaction, place in it, word, position)
    for i, (text, label) in enumerate(zip(TEXTS, TOLD, strict=True)):
        for place, word in enumerate(text):
            tokens.append((i, place, word, position))
            position += 1
        if i >= 6 - targets:
            summaries.append((i, 98, SUMMARY, position))
            position += counts
        tokens.append((i, 99, LABELS[label], position))
        position += 1
    together = [*tokens, *summaries]
    words, seen = streams.laid_out(stream_of(0, 6, targets), reading(scheme, window, len(tokens)), layers)
    assert words.tolist() == [each[2] for each in together]
    assert seen.positions.tolist() == [each[3] for each in together]
    assert seen.masks is not None
    assert seen.layers is not None
    for layer in range(layers):
        mask = np.asarray(seen.masks[seen.layers[layer]])
        for t, (i, place, *_) in enumerate(together):
            limit = limits(window, layer, layers)[t >= len(tokens)]
            for s, (j, other, *_) in enumerate(together):
                before = j < i or (j == i and other <= place)
                near = limit is None or i - j <= limit
                assert mask[t, s] == (t == s or (s < len(tokens) and before and near)), (layer, t, s)


@pytest.mark.slow
@pytest.mark.parametrize("layers", [1, 2, 4, 6])
def test_a_split_window_answers_every_target_as_its_own_sliding_window(layers):
    """With grouped keys, an MLP with gates, and the layers' windows 3; 0, 3; 0, 1, 1, 1; and 0, 0, 1, 0, 1, 1."""
    assert apart(decoder("split", layers)).max() < ROUNDING


@pytest.mark.parametrize(("scheme", "layers"), [("no_id", 1), ("local", 1), ("local", 3)])
def test_so_do_one_layer_and_tokens_that_see_their_own_interaction(scheme, layers):
    assert apart(decoder(scheme, layers)).max() < ROUNDING


@pytest.mark.parametrize(("scheme", "layers"), [("naive", 1), ("no_id", 2), ("naive", 3), ("full", 1)])
def test_others_answer_the_first_target_alone_as_its_window(scheme, layers):
    differences = apart(decoder(scheme, layers))
    assert differences[0] < ROUNDING
    assert differences[1:].min() > APART


@pytest.mark.slow
def test_texts_of_unequal_lengths_and_a_last_prompt_with_fewer_targets():
    """Two of four targets exist; both probabilities equal the probabilities of their windows."""
    model, window = doubled(random_model()), 2
    whole = stream_of(0, 6, 2)
    nothing = Stream(jnp.full((2, whole.tokens.shape[1]), NOTHING), jnp.full(2, NOTHING), 2)
    padded = Stream(jnp.concatenate([whole.tokens, nothing.tokens]), jnp.concatenate([whole.labels, nothing.labels]), 4)
    answers = jax.nn.softmax(logits(model, padded, reading("split", window, 40)))
    for place, last in enumerate((5, 6)):
        alone = logits(model, stream_of(last - window - 1, last, 1), reading("split", window, 40))
        np.testing.assert_allclose(answers[place], jax.nn.softmax(alone)[0], rtol=0, atol=ROUNDING)
