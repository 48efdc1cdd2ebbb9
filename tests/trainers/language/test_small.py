"""The lab's own small language model: trained by the lab's one training, kept as a folder, and read back."""

import jax
import numpy as np
import pytest

from lab.config.base import Device
from lab.config.small_language import SmallModel, SmallTraining
from lab.language.tokens import Tokenizer
from lab.language.weights import load
from tasks.sentences import Sentences
from tasks.texts.words import ADJECTIVES, NOUNS, QUESTIONS, SENTIMENTS, TOPICS
from tests.command_line import check_refused, lab_here
from trainers.language import small
from trainers.population import at
from trainers.programs import Programs, Stopwatch
from trainers.streams import Stream

MODEL = SmallModel(num_layers=2, width=16, num_heads=2, mlp_width=16)
TASK = Sentences(num_context=3)


@pytest.fixture(scope="module")
def trained():
    training = SmallTraining(steps=30, batch_size=8)
    session = small.session_of(MODEL, training, TASK, 5, Device(), Programs(Stopwatch(), 0))
    session.start()
    losses = session.advance(30)
    return at(session.trained[small.MODEL], 0), losses[small.MODEL][0]


def test_it_learns_the_next_token(trained):
    """From that of random weights, about log 80 = 4.4 nats, towards what sentences without context have."""
    _, losses = trained
    assert losses[0] == pytest.approx(np.log(80), rel=0.15)
    assert losses[-1] < losses[0] - 1


def test_its_folder_is_read_back_as_it_is(trained, tmp_path):
    reader, _ = trained
    small.write(tmp_path / "model", reader)
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == sorted(small.FILES)
    again = load(tmp_path / "model")
    tokens = TASK.tokens(jax.random.key(1), 2)[0]
    assert np.array_equal(np.asarray(again.logits(tokens)), np.asarray(reader.model.logits(tokens)))
    text = "text the cat is lovely sentiment good ;"
    tokenizer = Tokenizer(tmp_path / "model", again.arch)
    assert tokenizer.encode(text) == small.tokenizer().encode(text)
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_rows_have_the_classes_of_their_words_but_for_wrong_ones():
    clean, noisy = (small.labelled_rows(0, Stream.test, 600, wrong) for wrong in (0.0, 0.3))
    groups = {"topic": TOPICS, "sentiment": SENTIMENTS}
    for row, other in zip(clean, noisy, strict=True):
        _, noun, _, adjective = row["text"].split()
        assert other["text"] == row["text"]
        assert noun in [*groups["topic"].values()][row["topic"]]
        assert adjective in [*groups["sentiment"].values()][row["sentiment"]]
    for question, words in QUESTIONS.items():
        away = np.array([(b[question] - a[question]) % len(words) for a, b in zip(clean, noisy, strict=True)])
        assert abs(np.mean(away > 0) - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 600), "four standard errors"
        assert {*away} == {*range(len(words))}
    assert len({row["text"] for row in clean}) > 0.7 * len(NOUNS) * len(ADJECTIVES) * (1 - np.exp(-600 / 1024))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["language_choice", "sets=1000000000"], "sets=1000000000, validation=64: 0 of the 400 rows"),
        (["language_choice", "lm.words=['rows=40']"], "of the 40 rows of experiment=language_model are left"),
        (["language_choice", "lm.experiment=plain"], "lm.experiment=plain: it keeps no language model"),
        (["language_dual", "lm.experiment=shifted_classes"], "lm.experiment=shifted_classes: it keeps no language"),
        (["language_dual", "lm.words=['grid=[\"seed=1,2\"]']"], "it keeps no language model"),
        (["language_finetune", "validation=399"], "validation=399: 398 of the 400 rows"),
        (["language_finetune", "text.test=1"], "text.test=1: there must be at least two"),
        (["language_deep_thinking", "text.examples=400"], "text.examples=400: 0 of the 400 rows"),
        (["language_deep_thinking", "counts=[0,5]"], "counts: 5 demonstrations, and a set has at most 4"),
        (["language_deep_thinking", "text.test=1"], "text.test=1: there must be at least two"),
    ],
    ids=lambda each: each[-1] if isinstance(each, list) else "",
)
def test_what_would_fail_after_the_training_of_the_model_is_refused_before(words, message, tmp_path):
    check_refused(lab_here(f"experiment={words[0]}", *words[1:], cwd=tmp_path), message)
    assert not [*tmp_path.iterdir()]
