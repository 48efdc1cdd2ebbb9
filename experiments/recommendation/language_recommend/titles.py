"""The text of a prompt: titles that a user watched, and the one that came next."""

import re
from collections.abc import Sequence

FREE = ("N/A",)  # a past without content, by which log-probabilities are calibrated (Zhao et al. 2021, section 5)
_NUMBER = re.compile(r"\s*\[\w+\]$")  # of the item, behind its title
_YEAR = re.compile(r"\s*\(\d{4}\)$")
_ARTICLE = re.compile(r"^(.+), (The|A|An)$")


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
