"""The files of MovieLens in each of its releases: ratings, and films with their titles and genres.

F. M. Harper and J. A. Konstan, "The MovieLens datasets: history and context", ACM Transactions on Interactive
Intelligent Systems 5 (2015) 19:1-19:19, doi:10.1145/2827872. Its terms forbid redistribution, so the user downloads it.
"""

import contextlib
import csv
import hashlib
import io
import itertools
import pathlib
import zipfile
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from tasks.datasets.cells import lines, whole_in
from tasks.datasets.files import IN_BLOCKS, data_file, digest_of, set_checksum
from tasks.errors import DataError
from tasks.logs import archive, cache
from tasks.logs.settings import Movielens, MovielensItems
from tasks.logs.writer import BLOCK

PAGE = "https://grouplens.org/datasets/movielens/"
FILMS = 2**26  # the most bytes of a file of films
NONE = {"(no genres listed)", "unknown", ""}  # no genres
GENRES = ["unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama",
          "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War",
          "Western"]  # fmt: skip  # of 100K, in the order of its flags


class Release(NamedTuple):
    """The names of the two files of some releases, their delimiters, and the header of the ratings."""

    ratings: str
    films: str
    delimiter: str
    films_delimiter: str
    header: str = ""


RELEASES = (
    Release("u.data", "u.item", "\t", "|"),  # 100K
    Release("ratings.dat", "movies.dat", "::", "::"),  # 1M and 10M
    Release("ratings.csv", "movies.csv", ",", ",", "userId,movieId,rating,timestamp"),  # latest-small, 20M, 25M, 32M
)


class Place(NamedTuple):
    """A folder on the disk or in an archive, which release it is, and its name in messages (`where`)."""

    folder: pathlib.Path | zipfile.Path
    release: Release
    where: str

    def files(self) -> list[str]:
        """Return the names of the file of ratings and, where there is one, of films."""
        return [name for name in self.release[:2] if (self.folder / name).is_file()]

    def open(self, name: str) -> IO[bytes]:
        """Open one of the files for reading bytes."""
        return (self.folder / name).open("rb")

    def size(self, name: str) -> int:
        """Return how many bytes a file has."""
        if isinstance(self.folder, pathlib.Path):
            return data_file(self.folder / name, f"{self.where}/{name}", IN_BLOCKS).stat().st_size
        return self.folder.root.getinfo(f"{self.folder.at}{name}").file_size

    def wrong(self, name: str, line: int, expected: str) -> DataError:
        """Return the error of a line that has another format."""
        return DataError(f"{self.where}: {name}: line {line} is not {expected}")


@contextlib.contextmanager
def opened(settings: Movielens | MovielensItems) -> Iterator[Place]:
    """Open a release: a zip archive, its unpacked folder, or the file of ratings in that.

    Raises:
        DataError: there is none, there are two, or the archive is not read (`archive.opened`).
    """
    if not settings.path:
        raise DataError(f"data={settings.name} needs data.path=FILE, MovieLens from {PAGE} as zip archive or unpacked")
    path, where = pathlib.Path(settings.path).expanduser(), f"data.path={settings.path}"
    with contextlib.ExitStack() as stack:
        if path.is_file() and path.name in {release.ratings for release in RELEASES}:
            places = [Place(path.parent, release, where) for release in RELEASES if release.ratings == path.name]
        else:
            if path.is_file() and not zipfile.is_zipfile(path):
                raise _none(settings, "neither a zip archive nor called")
            root = zipfile.Path(stack.enter_context(archive.opened(path, where))) if path.is_file() else path
            folders = [root, *(each for each in root.iterdir() if each.is_dir())] if root.is_dir() else []
            places = [Place(folder, release, where) for folder in folders for release in RELEASES]
            places = [place for place in places if place.files()[:1] == [place.release.ratings]]
        if not places:
            raise _none(settings, "it has no" if path.exists() else "no such file or folder; it should have")
        if len(places) > 1:
            names = ", ".join(sorted(f"{place.folder.name}/{place.release.ratings}" for place in places))
            raise DataError(f"{where}: more than one release of MovieLens is in it ({names}); name one of them")
        yield places[0]


def _none(settings: Movielens | MovielensItems, what: str) -> DataError:
    names = " or ".join(release.ratings for release in RELEASES)
    other = "click_csv" if isinstance(settings, Movielens) else "item_csv"
    text = f"{what} {names}; MovieLens is at {PAGE}, and data={other} reads other tables"
    return DataError(f"data.path={settings.path}: {text}")


def fill_in(settings: Movielens | MovielensItems) -> None:
    """Set the SHA-256 of the files, which is the same for the archive and for its unpacked folder.

    Raises:
        DataError: what `opened` raises, or the settings have the checksum of other files.
    """
    digest = hashlib.sha256()
    with cache.reading(settings.path), opened(settings) as place:
        for name in place.files():
            size = place.size(name)
            with place.open(name) as file:
                digest.update(bytes.fromhex(digest_of(file, size, f"{place.where}/{name}")))
    set_checksum(settings, digest.hexdigest())


class Film(NamedTuple):
    """A film's title with its year, and its genres."""

    title: str
    genres: list[str]


def films_of(place: Place, numbers: list[int]) -> list[Film]:
    """Return the films of these numbers; without a title where the release lies there without its file of films.

    Raises:
        DataError: a line has a wrong format, or a film is not in the file.
    """
    name = place.release.films
    if name not in place.files():
        return [Film("", []) for _ in numbers]
    if place.size(name) > FILMS:
        raise DataError(f"{place.where}: {name} has more than {FILMS >> 20} MiB")
    with place.open(name) as file:
        content = file.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:  # 100K and 1M
        text = content.decode("latin-1")
    films = dict(_films(place, text))
    for number in numbers:
        if number not in films:
            raise DataError(f"{place.where}: {place.release.ratings} has film {number}, and {name} has not")
    return [films[number] for number in numbers]


def _films(place: Place, text: str) -> Iterator[tuple[int, Film]]:
    """Yield (number, film) of each line of a file of films."""
    release, delimiter = place.release, place.release.films_delimiter
    of_flags, table = delimiter == "|", io.StringIO(text, newline="")
    expected = "movie id|movie title|..., 24 cells" if of_flags else delimiter.join(["MovieID", "Title", "Genres"])
    try:
        rows = csv.reader(table) if delimiter == "," else (line.rstrip("\r\n").split(delimiter) for line in table)
        for line, row in enumerate(itertools.islice(rows, bool(release.header), None), 1 + bool(release.header)):
            if row in ([], [""]):
                continue
            number = whole_in(row[0])
            if number is None or len(row) != (5 + len(GENRES) if of_flags else 3):
                raise place.wrong(release.films, line, expected)
            flags = zip(GENRES, row[5:], strict=True) if of_flags else ((genre, "1") for genre in row[2].split("|"))
            yield number, Film(row[1].strip(), [genre for genre, flag in flags if flag == "1" and genre not in NONE])
    except csv.Error as error:
        raise DataError(f"{place.where}: {release.films}: {error}") from error


def ratings_of(place: Place) -> Iterator[np.ndarray]:
    """Yield all ratings, block by block, (r,) with the fields user, film, rating and time, in the order of the file.

    Raises:
        DataError: a line has a wrong format.
    """
    release = place.release
    with place.open(release.ratings) as file, io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace") as text:
        expected, all_lines = release.header or release.delimiter.join(["user", "film", "rating", "time"]), lines(text)
        if release.header and next(all_lines, "").strip() != release.header:
            raise place.wrong(release.ratings, 1, release.header)
        for first in itertools.count(1 + bool(release.header), BLOCK):
            block = list(itertools.islice(all_lines, BLOCK))
            if not block:
                return
            try:
                yield _ratings(block, release.delimiter)
            except ValueError:
                wrong = next(number for number, line in enumerate(block, first) if _is_wrong(line, release.delimiter))
                raise place.wrong(release.ratings, wrong, expected) from None


def _ratings(block: list[str], delimiter: str) -> np.ndarray:
    """Return the ratings of some lines by NumPy's reader, in which two colons have an empty cell between them.

    Raises:
        ValueError: there are not four cells, or one of them is wrong.
    """
    fields = {"user": "i8", "film": "i8", "rating": "f8", "time": "i8"}
    empty = [("", "U1")] if delimiter == "::" else []
    kinds = [kind for each in fields.items() for kind in [*empty, each]][len(empty) :]
    block = [line for line in block if not line.isspace()]
    table = np.loadtxt(block, kinds, comments=None, delimiter=delimiter[0], ndmin=1) if block else np.zeros(0, kinds)
    is_wrong = ~((table["rating"] > 0) & (table["rating"] <= 5))
    if is_wrong.any() or any((table[name] != "").any() for name in table.dtype.names or () if name not in fields):
        raise ValueError
    return table


def _is_wrong(line: str, delimiter: str) -> bool:
    try:
        _ratings([line], delimiter)
    except ValueError:
        return True
    return False
