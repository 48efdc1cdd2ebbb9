"""Readers of two files of MovieLens-1M, `ratings.dat` and `movies.dat`, whose cells are separated by two colons."""

import io
import pathlib
import re
import zipfile
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from tasks.datasets.cells import lines, number_in, whole_in
from tasks.errors import DataError
from tasks.logs.writer import BLOCK, Writer

RATINGS, MOVIES = "ratings.dat", "movies.dat"
GENRES = 6  # the most genres of a film that are used
NONE = "(no genres listed)"
YEAR = re.compile(r"\((\d{4})\)\s*$")
WORD = re.compile(r"\w+")


class Place(NamedTuple):
    """An unpacked folder, or the one in the archive, and its name in messages (`where`)."""

    folder: pathlib.Path | zipfile.Path
    where: str

    def open(self, name: str) -> IO[bytes]:
        """Open one of the two files for reading bytes."""
        return (self.folder / name).open("rb")

    def lines(self, name: str) -> Iterator[tuple[int, list[str]]]:
        """Yield (number, cells) of each line of a file that is not empty."""
        with self.open(name) as file, io.TextIOWrapper(file, encoding="latin-1") as text:
            for number, line in enumerate(lines(text), 1):
                if line.strip():
                    yield number, line.rstrip("\r\n").split("::")


def movies_of(place: Place) -> Iterator[list[str]]:
    """Yield (number, title with year, genres with bars between them) of each film.

    Raises:
        DataError: a line has a wrong format.
    """
    for number, parts in place.lines(MOVIES):
        if len(parts) != 3:
            raise _wrong(place, MOVIES, number, "MovieID::Title::Genres")
        yield parts


def films_of(place: Place, writer: Writer, words: int) -> tuple[dict[str, int], np.ndarray]:
    """Return {number of a film in the file: its row} and the features (films, F), as `writer.values` number them.

    Args:
        words: how many of each title are features.

    Raises:
        DataError: a line has a wrong format.
    """
    films, genres, decades, titles = {}, [], [], []
    for film, title, names in movies_of(place):
        films[film] = len(genres)
        genres.append([genre for genre in names.split("|") if genre and genre != NONE])
        year = YEAR.search(title)
        decades.append(f"{year[1][:3]}0s" if year else None)
        titles.append(WORD.findall(YEAR.sub("", title).lower()))
    genre, decade, *word = writer.values
    columns = [genre.encode(column, len(films)) for column in _first(genres, GENRES, "genres", writer)]
    columns.append(decade.encode(decades, len(films)))
    if words:
        columns += [word[0].encode(column, len(films)) for column in _first(titles, words, "words", writer)]
    return films, np.stack(columns, axis=1)


def _first(of_films: list[list[str]], count: int, what: str, writer: Writer) -> list[tuple[str | None, ...]]:
    """Return the first `count` values of each film, one column each, filled up with None; with a note on the others."""
    if more := sum(len(each) > count for each in of_films):
        writer.notes.append(f"of {more:,} films with more than {count} {what} the first {count} are taken")
    return list(zip(*([*each, *[None] * count][:count] for each in of_films), strict=True))


class Ratings(NamedTuple):
    """Some ratings, in the order of the file: film (as `films_of` numbers it), user, rating and time, (r,) each."""

    film: np.ndarray
    user: np.ndarray
    rating: np.ndarray
    time: np.ndarray


def ratings_of(place: Place, films: dict[str, int]) -> Iterator[Ratings]:
    """Yield all ratings, block by block.

    Args:
        films: {number of a film in the file: its number in `Ratings`}.

    Raises:
        DataError: a line has a wrong format, or a film that is not in `films`.
    """
    rows = []
    for number, parts in place.lines(RATINGS):
        try:
            rows.append(_rating(parts, films))
        except KeyError as film:
            raise DataError(f"{place.where}: {RATINGS}: line {number}: {MOVIES} has no {film}") from None
        except ValueError:
            raise _wrong(place, RATINGS, number, "UserID::MovieID::Rating::Timestamp") from None
        if len(rows) == BLOCK:
            yield _columns(rows)
            rows = []
    if rows:
        yield _columns(rows)


def _rating(parts: list[str], films: dict[str, int]) -> tuple[int, int, float, int]:
    """Return the numbers of one line in the order of `Ratings`.

    Raises:
        ValueError: there are not four cells, or one of them is wrong.
        KeyError: there is no such film.
    """
    user_cell, film, rating_cell, time_cell = parts
    number, user, rating, time = films[film], whole_in(user_cell), number_in(rating_cell), whole_in(time_cell)
    if user is None or time is None or not 0 < rating <= 5 or not max(abs(user), abs(time)) < 2**63:
        raise ValueError
    return number, user, rating, time


def _columns(rows: list[tuple[int, int, float, int]]) -> Ratings:
    kinds = np.int64, np.int64, np.float64, np.int64
    return Ratings(*map(np.array, zip(*rows, strict=True), kinds))


def _wrong(place: Place, name: str, line: int, expected: str) -> DataError:
    return DataError(f"{place.where}: {name}: line {line} is not {expected}")
