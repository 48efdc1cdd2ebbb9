"""A claim's sentence has a place in a source, and its criterion is somebody's reading of it."""

import dataclasses
import enum


class Work(enum.StrEnum):
    """The papers whose sentences are judged, by the short names that pages use."""

    RAG_GD = "RAG-GD"
    LRGD = "LRGD"
    DTI = "DTI"
    DT = "Deep-Thinking"
    DAI = "Dai et al."
    VO23 = "von Oswald et al. 2023"
    GARG22 = "Garg et al. 2022"
    RAV23 = "Raventós et al. 2023"
    AHN23 = "Ahn et al. 2023"
    DEUTCH23 = "Deutch et al. 2023"
    SHEN23 = "Shen et al. 2023"


class Reading(enum.StrEnum):
    """Whose reading of the sentence the criterion is."""

    SOURCE = "the source's reading"
    LAB = "this lab's reading, which is stronger than the source's words"
    OWN = "this lab's own sentence"


@dataclasses.dataclass(frozen=True)
class Cited:
    """The place of a sentence.

    Args:
        work: the paper; "" for a sentence of this lab.
        place: section, equation, figure or caption, as exact as possible; for the lab's own what it is derived from.
        words: the few words of the source on which the reading hangs, without quotation marks; "" where the sentence
            hangs on none, as for a figure or an equation.
        reading: whose reading the criterion is.
    """

    work: Work | str
    place: str
    words: str
    reading: Reading

    def __str__(self) -> str:
        """Return the place in one line: 'RAG-GD, figure 3, caption ("converge")'."""
        where = ", ".join(part for part in (self.work, self.place) if part)
        return where + (f' ("{self.words}")' if self.words else "")


def said(work: Work, place: str, words: str = "") -> Cited:
    """Return the place of a sentence whose criterion says what the source says, and no more."""
    return Cited(work, place, words, Reading.SOURCE)


def stronger(work: Work, place: str, words: str = "") -> Cited:
    """Return the place of a sentence whose criterion says more than the source does: this lab's reading."""
    return Cited(work, place, words, Reading.LAB)


def own(place: str = "derived here") -> Cited:
    """Return the place of a sentence of this lab, which refutes or supports nobody else's.

    Args:
        place: what it is derived from, such as 'derived here from LRGD, eqs. 1-4'.
    """
    return Cited("", place, "", Reading.OWN)
