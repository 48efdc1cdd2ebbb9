"""Documents of labelled sentences: what they are made of, and how well they can be answered."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tasks.sentences import Sentences, best_accuracy
from tasks.texts.words import ADJECTIVES, ANSWER, NOUNS, PER_EXAMPLE, QUESTIONS, SENTIMENTS, TOPICS, WORDS
from tests.compiled import one_episode, sampled

KEY = jax.random.key(3)


def documents(count=400, **changes):
    """Return documents as lists of examples, each a list of words."""
    tokens = np.asarray(Sentences(num_context=6, **changes).tokens(KEY, count))
    return [[[WORDS[token] for token in example] for example in row.reshape(-1, PER_EXAMPLE)] for row in tokens]


def natural(example):
    """Return the word that an example's text has by its meaning."""
    groups, word = (TOPICS, example[2]) if example[5] == "topic" else (SENTIMENTS, example[4])
    return next(name for name, words in groups.items() if word in words)


def test_an_example_is_a_sentence_a_question_and_its_word():
    for document in documents(50):
        for example in document:
            assert [example[place] for place in (0, 1, 3, 7)] == ["text", "the", "is", ";"]
            assert example[2] in NOUNS
            assert example[4] in ADJECTIVES
            assert example[ANSWER] in QUESTIONS[example[5]]
        assert len({example[5] for example in document}) == 1, "one question in a document"


def test_without_wrong_words_a_document_has_all_words_in_one_sense():
    kinds = set()
    for document in documents(200, wrong=0.0):
        senses = set()
        for example in document:
            words = QUESTIONS[example[5]]
            place = words.index(natural(example))
            assert example[ANSWER] in (words[place], words[place ^ 1])
            senses.add(example[ANSWER] == words[place])
        assert len(senses) == 1
        kinds.add((document[0][5], *senses))
    assert len(kinds) == 4, "both questions, natural and exchanged"


def test_words_are_wrong_as_often_as_is_said_and_then_any_other_of_the_question():
    """Frequencies of 4,800 words are within four standard errors of the probabilities."""
    counts: dict[tuple[str, int], int] = {(question, away): 0 for question in QUESTIONS for away in range(4)}
    for document in documents(800, wrong=0.3, exchanged=0.0):
        for example in document:
            words = QUESTIONS[example[5]]
            away = (words.index(example[ANSWER]) - words.index(natural(example))) % len(words)
            counts[example[5], away] += 1
    for question, words in QUESTIONS.items():
        total = sum(counts[question, away] for away in range(4))
        for away in range(len(words)):
            p = 0.7 if away == 0 else 0.3 / (len(words) - 1)
            assert abs(counts[question, away] / total - p) < 4 * math.sqrt(p * (1 - p) / total)


def test_a_question_can_be_asked_for():
    assert {example[5] for document in documents(50, question="topic") for example in document} == {"topic"}


def test_the_target_is_the_next_token_and_answers_weigh_more():
    task = Sentences(num_context=3, emphasis=4.0)
    episodes = sampled(task, KEY, 5)
    tokens = np.asarray(episodes.prompt.context.x)
    assert np.array_equal(np.asarray(episodes.target["next"])[:, :-1], tokens[:, 1:])
    weight = np.asarray(episodes.target["weight"])[0]
    assert weight[-1] == 0, "nothing follows the last token"
    assert np.mean(weight) == pytest.approx(1, rel=1e-6)
    assert weight[ANSWER - 1] == pytest.approx(4 * weight[0], rel=1e-6)
    assert np.sum(weight > weight[0]) == 3


def test_the_loss_is_the_weighted_cross_entropy():
    task = Sentences(num_context=2)
    episode = one_episode(task, KEY)
    logits = np.asarray(jax.random.normal(jax.random.key(0), (16, len(WORDS))), np.float64)
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    by_hand = -np.asarray(episode.target["weight"]) * np.log(p[np.arange(16), np.asarray(episode.target["next"])])
    assert np.allclose(np.asarray(task.loss(jnp.asarray(logits), episode.target)), by_hand, atol=1e-4)


def listed_best(examples, classes, wrong, exchanged):
    """Return the best accuracy by listing all sequences of words, for a natural word 0 that is exchanged with 1."""
    p = {0: 1 - exchanged, 1: exchanged}
    total = 0.0
    for seen in itertools.product(range(classes), repeat=examples):
        likely = [
            p[sort] * math.prod(1 - wrong if word == sort else wrong / (classes - 1) for word in seen)
            for sort in (0, 1)
        ]
        # the next word of the sort is right: the answer is that of the likelier sort
        total += max(likely)
    return total


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(("wrong", "exchanged"), [(0.15, 0.5), (0.3, 0.2), (0.0, 0.5), (0.4, 0.0)])
def test_the_best_accuracy_is_that_of_a_listing_of_all_documents(classes, wrong, exchanged):
    for examples in range(5):
        by_listing = listed_best(examples, classes, wrong, exchanged)
        assert best_accuracy(examples, classes, wrong, exchanged) == pytest.approx(by_listing, abs=1e-12)
