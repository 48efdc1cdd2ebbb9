"""MovieLens-1M: a million ratings of 3,900 films by 6,040 users, from 2000 to 2003.

F. M. Harper and J. A. Konstan, "The MovieLens datasets: history and context", ACM Transactions on Interactive
Intelligent Systems 5 (2015) 19:1-19:19, doi:10.1145/2827872. Its terms forbid redistribution, so the user downloads it.

An interaction is a rating; label = rating >= `label_at_least`. Its tokens are the film's genres, at most six, the
decade of its release, and the first `words` words of its title; films and users themselves have no tokens. Films with
fewer than five ratings are left out.
"""

import contextlib
import dataclasses
import hashlib
import io
import pathlib
import zipfile
from collections.abc import Iterator
from typing import cast

import numpy as np

from tasks.datasets import files
from tasks.datasets.files import PublishedFile
from tasks.errors import DataError
from tasks.logs import cache
from tasks.logs.log import ClickLog
from tasks.logs.movielens_files import GENRES, MOVIES, RATINGS, Place, films_of, ratings_of
from tasks.logs.settings import Movielens, MovielensItems
from tasks.logs.writer import Writer

ARCHIVE = PublishedFile(
    folder="movielens",
    name="ml-1m.zip",
    sha256="a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
    page="https://grouplens.org/datasets/movielens/1m/",
)
INSIDE = "ml-1m"  # the folder in the archive
COLUMNS, SLOTS = ("genre", "decade"), (0,) * GENRES + (1,)
WORD = "word"  # the column of the words of titles, where there are any
FEWEST_RATINGS = 5  # of a film
UNCHECKED = "an unpacked folder was read, whose files are not compared with the published ones"


def fill_in(settings: Movielens | MovielensItems) -> None:
    """Set the SHA-256 of the two files, which is the same for the archive and for its unpacked folder.

    Raises:
        DataError: what `opened` raises, or the settings have the checksum of other files.
    """
    digest = hashlib.sha256()
    with cache.reading(settings.path), opened(settings) as place:
        for name in (RATINGS, MOVIES):
            if isinstance(place.folder, pathlib.Path):
                digest.update(bytes.fromhex(files.sha256(place.folder / name)))
                continue
            with place.open(name) as file:  # of the archive, which is verified
                digest.update(hashlib.file_digest(cast(io.BufferedIOBase, file), "sha256").digest())
    cache.fill_in(settings, digest.hexdigest())


def read(settings: Movielens) -> ClickLog:
    """Read the log, from the cache if it was read before.

    Raises:
        DataError: what `fill_in` raises; a line has a wrong format; the log cannot be split by time.
    """
    fill_in(settings)
    log = cache.cached_log(settings, lambda folder: _build(settings, folder))
    return dataclasses.replace(log, notes=(*log.notes, *unchecked(settings)))


def unchecked(settings: Movielens | MovielensItems) -> tuple[str, ...]:
    """Return a note if the files were not compared with the published ones, as a tuple of none or one."""
    return () if pathlib.Path(settings.path).expanduser().is_file() else (UNCHECKED,)


@contextlib.contextmanager
def opened(settings: Movielens | MovielensItems) -> Iterator[Place]:
    """Open the archive, which is verified, or its unpacked folder.

    Raises:
        DataError: there is no path, there are no such files, or the archive is not the published one.
    """
    if not settings.path:
        needs = f"data.path=FILE, the archive {ARCHIVE.name}: get it from {ARCHIVE.page}"
        raise DataError(f"data={settings.name} needs {needs}")
    path, where = pathlib.Path(settings.path).expanduser(), f"data.path={settings.path}"
    if path.is_file():
        files.verify(path, ARCHIVE, where)
        with zipfile.ZipFile(path) as archive:
            yield Place(zipfile.Path(archive, f"{INSIDE}/"), where)
        return
    for folder in (path, path / INSIDE):
        if (folder / RATINGS).exists() and (folder / MOVIES).exists():
            for name in (RATINGS, MOVIES):
                files.data_file(folder / name, f"{where}/{name}")
            yield Place(folder, where)
            return
    what = f"a folder without {RATINGS} and {MOVIES}" if path.is_dir() else "no such file or folder"
    raise DataError(f"{where}: {what}; get {ARCHIVE.name} from {ARCHIVE.page}")


def _build(settings: Movielens, folder: pathlib.Path) -> None:
    columns, slots = COLUMNS, SLOTS
    if settings.words:
        columns, slots = (*COLUMNS, WORD), (*SLOTS, *[len(COLUMNS)] * settings.words)
    with opened(settings) as place, Writer(folder, place.where, columns, slots) as writer:
        films, features = films_of(place, writer, settings.words)
        counts = np.zeros(len(features), np.int64)
        for ratings in ratings_of(place, films):
            counts += np.bincount(ratings.film, minlength=len(features))
        frequent = counts >= FEWEST_RATINGS
        for ratings in ratings_of(place, films):
            film, user, rating, time = (values[frequent[ratings.film]] for values in ratings)
            user = writer.users.encode(user.tolist(), len(user))
            writer.add(user, time, rating >= settings.label_at_least, features[film])
        dropped = counts[~frequent]
        if dropped.any():
            films_left_out = f"{np.sum(dropped > 0):,} films with fewer than {FEWEST_RATINGS} ratings"
            writer.notes.append(f"{films_left_out} are left out, and their {dropped.sum():,} ratings")
        writer.finish()
