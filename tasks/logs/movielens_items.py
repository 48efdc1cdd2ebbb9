"""`movielens_items`: the films that each user rated, one after the other.

Every rating counts as a choice of the film, as in Kang and McAuley 2018 ("Self-attentive sequential recommendation"),
or with `label_at_least` every rating that is at least so high. An item's name is its title and number.
"""

import numpy as np

from tasks.logs.codes import Codes
from tasks.logs.items import TakenItems, taken_items
from tasks.logs.movielens_files import fill_in, films_of, opened, ratings_of
from tasks.logs.settings import MovielensItems


def read(settings: MovielensItems) -> TakenItems:
    """Read the films that users rated.

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
