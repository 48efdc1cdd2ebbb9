"""The two files of MovieLens-1M that are read: `ratings.dat` and `movies.dat`, whose cells two colons separate."""

import io
import pathlib
import re
import zipfile
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tasks.datasets.table import DataError
from tasks.logs.writer import BLOCK, Writer

RATINGS, MOVIES = "ratings.dat", "movies.dat"
GENRES = 6  # of a film that are taken
NONE = "(no genres listed)"
YEAR = re.compile(r"\((\d{4})\)\s*$")


class Place(NamedTuple):
    """An unpacked folder, or the archive's, and how messages call it."""

    folder: pathlib.Path | zipfile.Path
    called: str

    def open(self, name: str) -> io.BufferedIOBase:
        return (self.folder / name).open("rb")

    def lines(self, name: str) -> Iterator[tuple[int, list[str]]]:
        """(its number, its parts) of each line."""
        with self.open(name) as file, io.TextIOWrapper(file, encoding="latin-1") as text:
            for number, line in enumerate(text, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n").split("::")


def movies_of(place: Place) -> Iterator[list[str]]:
    """(number, title with year, genres with bars between them) of each film.

    Raises:
        DataError: a line that is not of the format.
    """
    for number, parts in place.lines(MOVIES):
        if len(parts) != 3:
            raise _wrong(place, MOVIES, number, "MovieID::Title::Genres")
        yield parts


def films_of(place: Place, writer: Writer) -> tuple[dict[str, int], np.ndarray]:
    """The place of each film in the second, (films, F): its features as the writer's values number them.

    Raises:
        DataError: a line that is not of the format.
    """
    films, genres, decades, more = {}, [], [], 0
    for film, title, its in movies_of(place):
        films[film] = len(genres)
        its = [genre for genre in its.split("|") if genre and genre != NONE]
        more += len(its) > GENRES
        genres.append(([*its, *[None] * GENRES])[:GENRES])
        year = YEAR.search(title)
        decades.append(f"{year[1][:3]}0s" if year else None)
    if more:
        writer.notes.append(f"of {more:,} films with more than {GENRES} genres the first {GENRES} are taken")
    genre, decade = writer.values
    columns = [genre.encode(column, len(decades)) for column in zip(*genres, strict=True)]
    return films, np.stack([*columns, decade.encode(decades, len(decades))], axis=1)


class Ratings(NamedTuple):
    """Some ratings, in the order of the file: (r,) each."""

    film: np.ndarray
    user: np.ndarray
    rating: np.ndarray
    time: np.ndarray


def ratings_of(place: Place, films: dict[str, int]) -> Iterator[Ratings]:
    """All ratings, block by block. films: as `films_of` gives them.

    Raises:
        DataError: a line that is not of the format, or has a film that is not among those.
    """
    rows = []
    for number, parts in place.lines(RATINGS):
        try:
            rows.append(_rating(parts, films))
        except KeyError as film:
            raise DataError(f"{place.called}: {RATINGS}: line {number}: {MOVIES} has no {film}") from None
        except ValueError:
            raise _wrong(place, RATINGS, number, "UserID::MovieID::Rating::Timestamp") from None
        if len(rows) == BLOCK:
            yield _columns(rows)
            rows = []
    if rows:
        yield _columns(rows)


def _rating(parts: list[str], films: dict[str, int]) -> tuple[int, int, float, int]:
    """In the order of `Ratings`.

    Raises:
        ValueError, KeyError: another number of parts, or one that is not what it should be; no such film.
    """
    user, film, rating, time = parts
    found = films[film], int(user), float(rating), int(time)
    if not 0 < found[2] <= 5 or not max(abs(found[1]), abs(found[3])) < 2**63:
        raise ValueError
    return found


def _columns(rows: list[tuple[int, int, float, int]]) -> Ratings:
    kinds = np.int64, np.int64, np.float64, np.int64
    return Ratings(*map(np.array, zip(*rows, strict=True), kinds))


def _wrong(place: Place, name: str, line: int, expected: str) -> DataError:
    return DataError(f"{place.called}: {name}: line {line} is not {expected}")
