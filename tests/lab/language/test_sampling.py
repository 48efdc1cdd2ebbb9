"""Continuations against plain readings of whole texts."""

import jax
import numpy as np
import pytest

from lab.errors import ConfigError
from lab.language.sampling import endings, sample
from lab.language.scoring import padded
from tests.lab.language.folders import loaded, random_model
from trainers.language.small import tokenizer

TOKENS = [5, 17, 33, 2, 44, 9, 3]
NEVER = np.zeros(61, bool)


@pytest.fixture(scope="module")
def model():
    return random_model()


@jax.jit
def read(model, tokens_T):
    return model.logits(tokens_T)


def logits_behind(model, tokens):
    """The logits of the next word, by a reading of all tokens."""
    return np.asarray(read(model, padded([tokens])[0])[len(tokens) - 1], np.float64)


@pytest.mark.parametrize("name", ["llama", "bloom", "mistral", "gpt_neo", "opt"])
@pytest.mark.parametrize("tokens", [TOKENS, [8]])
def test_greedy_words_are_those_of_a_reading_of_the_whole_text(name, tokens, model):
    """Also of families with ALiBi, windows and learned positions, and behind a single word."""
    model = model if name == "llama" else loaded(name)
    ends = np.zeros(model.arch.vocabulary, bool)
    first, second = sample(model, tokens, ends, jax.random.key(0), count=2, most=6, temperature=0.0)
    assert first == second
    expected = []
    for _ in range(6):
        expected.append(int(np.argmax(logits_behind(model, [*tokens, *expected]))))
    assert first == expected


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_frequencies_are_those_of_the_softmax(model, temperature):
    """Of the first word, and of the second behind the likeliest first. The chi-square of m cells has the mean m - 1 and
    the deviation root 2 (m - 1): five deviations are never reached by chance. Cells of fewer than five are joined."""
    drawn = sample(model, TOKENS, NEVER, jax.random.key(1), count=4000, most=2, temperature=temperature)
    first, second = np.array(drawn).T
    likeliest = int(np.bincount(first).argmax())
    for words, tokens in ((first, TOKENS), (second[first == likeliest], [*TOKENS, likeliest])):
        p = np.exp(logits_behind(model, tokens) / temperature)
        expected = len(words) * p / p.sum()
        counts = np.bincount(words, minlength=len(p))
        rare = expected < 5
        cells = [(counts[rare].sum(), expected[rare].sum()), *zip(counts[~rare], expected[~rare], strict=True)]
        chi_square = sum((count - mean) ** 2 / mean for count, mean in cells if mean > 0)
        freedom = len(cells) - 1
        assert freedom > 5
        assert abs(chi_square - freedom) < 5 * np.sqrt(2 * freedom)


def test_it_ends_in_front_of_the_first_word_that_ends_it(model):
    """Others go on meanwhile: up to there the words equal the same draws without ends."""
    whole = sample(model, TOKENS, NEVER, jax.random.key(2), count=8, most=6)
    ends = NEVER.copy()
    ends[[whole[0][2], whole[1][0]]] = True
    cut = sample(model, TOKENS, ends, jax.random.key(2), count=8, most=6)
    places = [next((place for place, word in enumerate(words) if ends[word]), 6) for words in whole]
    assert cut == [words[:place] for words, place in zip(whole, places, strict=True)]
    assert len({*places}) > 1


def test_a_text_without_room_is_refused(model):
    with pytest.raises(ConfigError, match="64"):
        sample(model, [1] * 60, NEVER, jax.random.key(0), count=1, most=5)
    with pytest.raises(ConfigError):
        sample(model, [], NEVER, jax.random.key(0), count=1, most=5)


def test_line_breaks_and_special_words_end_a_line():
    own = tokenizer()
    count = own.inner.get_vocab_size()
    ends = endings(own, count + 2)
    assert ends[count:].all(), "words of the model's table that the tokenizer lacks"
    for word in range(count):
        if ends[word]:
            assert "\n" in own.decode([word]) or own.inner.id_to_token(word) in own.inner.get_vocab()
    assert ends[own.encode("\n")].all()
    assert not ends[own.encode(" film")[0]]
