"""`movielens_items`: the films, of 3,900, that each of 6,040 users rated, one after the other.

The files are those of `tasks.logs.movielens`. Every rating counts as a choice of the film, as in Kang and McAuley 2018
("Self-attentive sequential recommendation"), or with `label_at_least` every rating that is at least so high. An item's
name is its title and number.
"""

import dataclasses

import numpy as np

from tasks.logs import movielens
from tasks.logs.codes import Codes
from tasks.logs.items import TakenItems, taken_items
from tasks.logs.movielens_files import movies_of, ratings_of
from tasks.logs.settings import MovielensItems


def read(settings: MovielensItems) -> TakenItems:
    """Read the films that users rated.

    Raises:
        DataError: what `movielens.fill_in` raises; a line has a wrong format, or there are too few ratings.
    """
    movielens.fill_in(settings)
    users, titles, parts = Codes(), Codes(), []
    with movielens.opened(settings) as place:
        numbers = {film: f"{title} [{film}]" for film, title, _ in movies_of(place)}
        titles.encode(numbers.values(), len(numbers))
        for ratings in ratings_of(place, {film: titles[name] for film, name in numbers.items()}):
            is_taken = ratings.rating >= (-np.inf if settings.label_at_least is None else settings.label_at_least)
            user = users.encode(ratings.user.tolist(), len(ratings.user))
            parts.append([each[is_taken] for each in (user, ratings.film, ratings.time)])
    columns = map(np.concatenate, zip(*parts, strict=True)) if parts else [np.zeros(0, int)] * 3
    log = taken_items(settings, users, titles, *columns)
    return dataclasses.replace(log, notes=(*log.notes, *movielens.unchecked(settings)))
