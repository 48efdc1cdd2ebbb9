"""Numbers of titles against a plain reading of each whole text."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.recommendation.language_recommend.ask import Asker, by_way
from lab.config.small_language import SmallModel
from lab.language.model import LanguageModel
from lab.language.shapes import init_params
from tasks.texts.words import NOUNS
from trainers.language.small import arch_of_settings, tokenizer

NAMES = [NOUNS[0], f"{NOUNS[1]} {NOUNS[2]}", f"{NOUNS[1]} {NOUNS[3]}", NOUNS[4]]


@pytest.fixture(scope="module")
def asker():
    arch = arch_of_settings(SmallModel(width=8, num_heads=2, mlp_width=8, num_layers=2))
    return Asker(LanguageModel(arch, init_params(arch, jax.random.key(0))), tokenizer(), NAMES, 2)


def by_hand(asker, text, name):
    """The sum of log p over a title's tokens, and their number, from one sequence of the whole text."""
    front, whole = (asker.tokenizer.encode(each) for each in (text, f"{text} {name}\n"))
    log_p_TxV = jax.nn.log_softmax(asker.model.logits(jnp.asarray(whole)), axis=-1)
    return sum(float(log_p_TxV[place - 1, whole[place]]) for place in range(len(front), len(whole))), len(whole) - len(
        front
    )


def test_numbers_are_those_of_whole_texts(asker):
    """Sums of up to two log-probabilities of about 4 in float32: 1e-5 is ten roundings."""
    text = asker.text([([0, 1], 3), ([3], 2)]) + asker.question([2, 0])
    assert text == (
        f"Watched: {NAMES[0]}; {NAMES[1]}\nNext: {NAMES[3]}\nWatched: {NAMES[3]}\nNext: {NAMES[2]}\n"
        f"Watched: {NAMES[2]}; {NAMES[0]}\nNext:"
    )
    slate = [3, 1, 0]
    free_S = np.array([-1.0, -2.0, -3.0])
    numbers = by_way(asker.scores(text, slate), free_S)
    sums, counts = np.array([by_hand(asker, text, NAMES[item]) for item in slate]).T
    np.testing.assert_allclose(numbers["sum"], sums, rtol=0, atol=1e-5)
    np.testing.assert_allclose(numbers["mean"], sums / counts, rtol=0, atol=1e-5)
    np.testing.assert_allclose(numbers["calibrated"], sums - free_S, rtol=0, atol=1e-5)
