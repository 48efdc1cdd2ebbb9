"""Prompts of titles that a user watched: the demonstrations, as numbers of items, and their text.

A demonstration is the next item after some of a past. No item is of the test.
"""

import re
from collections.abc import Sequence

import numpy as np

from experiments.recommendation.recommend.splits import Parts
from tasks.item_sequences import PADDING

FREE = ("N/A",)  # a past without content, by which log-probabilities are calibrated (Zhao et al. 2021, section 5)
_NUMBER = re.compile(r"\s*\[\w+\]$")  # of the item, behind its title
_YEAR = re.compile(r"\s*\(\d{4}\)$")
_ARTICLE = re.compile(r"^(.+), (The|A|An)$")
Demonstration = tuple[Sequence[int], int]  # a past, and the item after it


def watched(parts: Parts, user: int) -> list[int]:
    """Return all items that a test user took before the one to predict, oldest first."""
    return parts.test[user, : parts.place[user]].tolist()


def own(items: Sequence[int], past: int, count: int) -> list[Demonstration]:
    """Return the user's latest items, each behind the `past` before it, oldest first: fewer where there are fewer."""
    return [(items[max(place - past, 0) : place], items[place]) for place in range(1, len(items))][-count:]


def of_others(train_UxT: np.ndarray, past: int, count: int, key: Sequence[int]) -> list[Demonstration]:
    """Return the latest item of each of some training users, who are drawn, behind the `past` before it.

    Args:
        train_UxT: their items, padded behind; each has at least two.
        key: seed of the drawing.
    """
    users = np.random.default_rng(key).permutation(len(train_UxT))[:count]
    return [own(row[row != PADDING].tolist(), past, 1)[0] for row in train_UxT[users]]


def title_of(name: str) -> str:
    """Return the title in an item's name, as one would write it: 'The Crow' for 'Crow, The (1994) [68]'."""
    title = _YEAR.sub("", _NUMBER.sub("", name))
    return _ARTICLE.sub(r"\2 \1", title) or name


def question(past: Sequence[str]) -> str:
    """Return the text in front of the next title."""
    return f"Watched: {'; '.join(past)}\nNext:"


def answer(title: str) -> str:
    """Return the text of the next title; the end of its line tells it from a longer one."""
    return f" {title}\n"


def demonstration(past: Sequence[str], title: str) -> str:
    """Return the text of a past and the title behind it."""
    return question(past) + answer(title)
