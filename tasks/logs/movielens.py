"""MovieLens as clicks: an interaction is a rating, and label = rating >= `label_at_least`.

Its tokens are the film, its genres, at most six, the decade of its release, and the first `words` words of its title;
users have no tokens. Films with fewer than five ratings are left out.

`movielens_items`: the films that each user rated, one after the other. Every rating counts as a choice of the film, as
in Kang and McAuley 2018 ("Self-attentive sequential recommendation"), or with `label_at_least` every rating that is at
least so high.
"""

import pathlib
import re

import numpy as np

from tasks.logs import cache
from tasks.logs.codes import Codes
from tasks.logs.items import TakenItems, taken_items
from tasks.logs.log import ClickLog
from tasks.logs.movielens_files import Film, fill_in, films_of, opened, ratings_of
from tasks.logs.settings import Movielens, MovielensItems
from tasks.logs.writer import Writer

GENRES = 6  # the most genres of a film that are used
COLUMNS, SLOTS = ("genre", "decade", "film"), (0,) * GENRES + (1, 2)
WORD = "word"  # the column of the words of titles, where there are any
FEWEST_RATINGS = 5  # of a film
YEAR = re.compile(r"\((\d{4})\)\s*$")
WORDS = re.compile(r"\w+")


def read(settings: Movielens) -> ClickLog:
    """Read the log, from the cache if it was read before.

    Raises:
        DataError: what `fill_in` raises; a line has a wrong format; the log cannot be split by time.
    """
    fill_in(settings)
    return cache.cached_log(settings, lambda folder: _build(settings, folder))


def _build(settings: Movielens, folder: pathlib.Path) -> None:
    columns, slots = COLUMNS, SLOTS
    if settings.words:
        columns, slots = (*COLUMNS, WORD), (*SLOTS, *[len(COLUMNS)] * settings.words)
    form = {"item": SLOTS.index(2), "is_file_in_order": False}
    with opened(settings) as place, Writer(folder, place.where, columns, slots, settings.split, **form) as writer:
        films, counts = Codes(), np.zeros(0, np.int64)
        for ratings in ratings_of(place):
            film = films.encode(ratings["film"].tolist(), len(ratings))
            counts = np.bincount(film, minlength=len(films)) + np.pad(counts, (0, len(films) - len(counts)))
        frequent = counts >= FEWEST_RATINGS
        features = _features(films_of(place, [*films]), [*films], writer, settings.words)
        for ratings in ratings_of(place):
            film = films.encode(ratings["film"].tolist(), len(ratings))
            film, ratings = film[frequent[film]], ratings[frequent[film]]
            user = writer.users.encode(ratings["user"].tolist(), len(ratings))
            writer.add(user, ratings["time"], ratings["rating"] >= settings.label_at_least, features[film])
        if len(place.files()) == 1:
            writer.notes.append(f"{place.release.films} is not beside {place.release.ratings}: no genres and decades")
        dropped = counts[~frequent]
        if dropped.any():
            films_left_out = f"{len(dropped):,} films with fewer than {FEWEST_RATINGS} ratings"
            writer.notes.append(f"{films_left_out} are left out, and their {dropped.sum():,} ratings")
        writer.finish()


def _features(films: list[Film], numbers: list[int], writer: Writer, words: int) -> np.ndarray:
    """Return the features of films (films, F), as `writer.values` number them."""
    years = [YEAR.search(film.title) for film in films]
    titles = [WORDS.findall(YEAR.sub("", film.title).lower()) for film in films]
    genre, decade, number, *word = writer.values
    columns = [genre.encode(each, len(films)) for each in _first([f.genres for f in films], GENRES, "genres", writer)]
    columns.append(decade.encode([f"{year[1][:3]}0s" if year else None for year in years], len(films)))
    columns.append(number.encode(numbers, len(films)))
    if words:
        columns += [word[0].encode(each, len(films)) for each in _first(titles, words, "words", writer)]
    return np.stack(columns, axis=1)


def _first(of_films: list[list[str]], count: int, what: str, writer: Writer) -> list[tuple[str | None, ...]]:
    """Return the first `count` values of each film, one column each, filled up with None; with a note on the others."""
    if more := sum(len(each) > count for each in of_films):
        writer.notes.append(f"of {more:,} films with more than {count} {what} the first {count} are taken")
    filled = [[*each, *[None] * count][:count] for each in of_films]
    return [tuple(each[place] for each in filled) for place in range(count)]


def read_items(settings: MovielensItems) -> TakenItems:
    """Read the films that users rated. An item's name is its title and number.

    Raises:
        DataError: what `fill_in` raises; a line has a wrong format, or there are too few ratings.
    """
    fill_in(settings)
    users, films, parts = Codes(), Codes(), []
    with opened(settings) as place:
        for ratings in ratings_of(place):
            if settings.label_at_least is not None:
                ratings = ratings[ratings["rating"] >= settings.label_at_least]
            user = users.encode(ratings["user"].tolist(), len(ratings))
            parts.append((user, films.encode(ratings["film"].tolist(), len(ratings)), ratings["time"]))
        titles = films_of(place, [*films])
    named = zip(films.items(), titles, strict=True)
    names = Codes({f"{film.title} [{number}]".strip(): code for (number, code), film in named})
    columns = [np.concatenate(each) for each in zip(*parts, strict=True)] or [np.zeros(0, int)] * 3
    del parts  # as much again
    return taken_items(settings, users, names, *columns, is_file_in_order=False)
