"""The hand-written part of a page of findings: docs/findings/SOURCE.yaml, new.yaml and questions.yaml.

A place in double braces, {{FIGURE | NUMBER}}, stands for a number of the claims of that figure, by the name that
docs/results/claims.csv has; {{FIGURE | NUMBER | %}} is in per cent. Where several claims have a number of this name,
{{FIGURE > BEGINNING OF THE STATEMENT | NUMBER}} says which. So no measured number of a page is written by hand.
"""

import dataclasses
import pathlib
import re
from collections.abc import Mapping
from typing import TypeVar

from analysis.findings.words import rounded
from lab.errors import UserError
from lab.runs.safe_read import from_yaml

PLACE = re.compile(r"\{\{([^{}]+)\}\}")
NEW = "new"  # the page of findings that no source has
QUESTIONS = "questions"  # the file of the lab's own questions
T = TypeVar("T")
Claims = Mapping[str, list[dict]]  # {figure: its claims with their verdicts}


@dataclasses.dataclass(frozen=True)
class Source:
    """The sentences of a page on one source, besides verdicts."""

    name: str  # of its page
    title: str  # of its page
    work: str  # as claims cite it (`analysis.figures.cited.Work`)
    experiment: str  # the sweep that runs all of it
    reference: str  # the paper, as a list of references has it
    answer: str  # one sentence for tables of sources: what holds and what does not
    question: str  # what was asked
    asserts: list[str]  # what the source asserts, one sentence each
    figures: dict[str, str]  # {name: what it shows here} of the figures that are drawn, from the kept tables
    own: list[str]  # the figures whose claims of this lab belong to the page
    artefacts: list[str]  # findings that change the reading of the source's numbers, one paragraph each
    limits: list[str]  # sizes, budgets, and what a larger machine would settle, one sentence each
    pages: dict[str, str]  # {title: page} of pages with a longer account


@dataclasses.dataclass(frozen=True)
class Finding:
    """One finding that no source has."""

    finding: str  # the sentence
    evidence: str  # how it was found, in a paragraph
    weakest: str  # the point at which it is most likely to be wrong, or to say less than it seems
    page: str  # the page with a longer account
    elsewhere: str = ""  # what other work has of it
    # {figure: [beginning of a claim's statement]} of the claims that it rests on
    claims: dict[str, list[str]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Question:
    """A question of this lab's own, on a page that is written by hand."""

    question: str  # its name, for tables of sources
    answer: str  # one sentence: what holds and what does not
    figures: list[str]  # the figures whose claims belong to it
    page: str


def read(folder: pathlib.Path) -> list[Source]:
    """Return the sources of a folder, in the order of its file `order.yaml`.

    Raises:
        UserError: a file has other entries than a source has.
    """
    paths = [folder / f"{name}.yaml" for name in _entries(folder / "order.yaml")["sources"]]
    return [_made(Source, path, {"name": path.stem} | _entries(path)) for path in paths]


def read_new(folder: pathlib.Path) -> list[Finding]:
    """Return the findings that no source has, in order of worth. Raises as `read`."""
    path = folder / f"{NEW}.yaml"
    return [_made(Finding, path, entry) for entry in _entries(path)["findings"]]


def read_questions(folder: pathlib.Path) -> list[Question]:
    """Return the lab's own questions, in order. Raises as `read`."""
    path = folder / f"{QUESTIONS}.yaml"
    return [_made(Question, path, entry) for entry in _entries(path)["questions"]]


def filled(text: str, claims: Claims, place: str) -> str:
    """Return a hand-written text with its numbers.

    Args:
        claims: of all figures.
        place: the file of the text, for an error.

    Raises:
        UserError: no claim has such a number.
    """
    return PLACE.sub(lambda match: _number(match[1], claims, place), text.strip())


def _number(words: str, claims: Claims, place: str) -> str:
    chosen, name, *form = (word.strip() for word in " ".join(words.split()).split(" | "))
    figure, _, beginning = chosen.partition(" > ")
    for claim in claims.get(figure, ()):
        if claim["statement"].startswith(beginning) and name in claim["measured"]:
            value, error = claim["measured"][name], claim["errors"].get(name)
            return f"{rounded(100 * value, 100 * (error or 0))}%" if form == ["%"] else rounded(value, error)
    raise UserError(f"{place}: no claim of {chosen} has a number {name!r}; docs/results/claims.csv lists them")


def _made(kind: type[T], path: pathlib.Path, entries: dict) -> T:
    try:
        return kind(**entries)
    except TypeError as error:
        raise UserError(f"{path}: {error}") from error


def _entries(path: pathlib.Path) -> dict:
    entries = from_yaml(path.read_text(encoding="utf-8"))
    if not isinstance(entries, dict):
        raise UserError(f"{path}: its entries have no names")
    return entries
