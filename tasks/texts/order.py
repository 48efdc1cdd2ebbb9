"""Orders of rows that are the same on every machine: by SHA-256 of a name, a seed and the row's number."""

import hashlib
from collections.abc import Iterable, Sequence

from tasks.texts.form import Item
from tasks.texts.settings import Draw


def ordered(rows: Iterable[int], name: str, seed: int) -> list[int]:
    """Return rows in the order of their SHA-256.

    Args:
        rows: their numbers.
        name: of the data set, or the checksum of its file, and of what is drawn.
    """
    return sorted(rows, key=lambda row: hashlib.sha256(f"{name}\n{seed}\n{row}".encode()).digest())


def demonstrations(items: Sequence[Item], name: str, seed: int, draw: Draw, count: int) -> list[int]:
    """Return the places of the demonstrations of one set among the items, in the order in which they are shown.

    Those of each class are the first of it in one order, and all are shown in the order of another hash.

    Args:
        name: of the data set. seed: of the set.
        count: of each class, or in all where they are drawn at random.
    """
    places = {item.row: place for place, item in enumerate(items)}
    order = [places[row] for row in ordered(places, f"{name}/draw", seed)]
    if draw is Draw.random:
        return order[:count]
    by_class: dict[int, list[int]] = {}
    for place in order:
        by_class.setdefault(items[place].right, []).append(place)
    chosen = [place for each in sorted(by_class) for place in by_class[each][:count]]
    rows = ordered((items[place].row for place in chosen), f"{name}/shown", seed)
    return [places[row] for row in rows]


def others(items: Sequence[Item], demonstrated: Iterable[int], name: str, seed: int, count: int) -> list[int]:
    """Return the places of `count` further items that are not demonstrated, such as the validation rows of a set."""
    left = {items[place].row for place in demonstrated}
    places = {item.row: place for place, item in enumerate(items) if item.row not in left}
    return [places[row] for row in ordered(places, f"{name}/others", seed)[:count]]


def sample(items: Sequence[Item], name: str, count: int) -> list[Item]:
    """Return `count` of the items, the same ones always, in their order; all of them for 0."""
    if not 0 < count < len(items):
        return [*items]
    chosen = {*ordered((item.row for item in items), f"{name}/test", 0)[:count]}
    return [item for item in items if item.row in chosen]


def fitting(lengths: Sequence[int], room: int) -> int:
    """Return how many demonstrations fit, from the first on, whole ones alone.

    Args:
        lengths: the tokens of the first one, of the first two together, and so on.
        room: for their tokens.
    """
    return next((count for count in range(len(lengths), 0, -1) if lengths[count - 1] <= room), 0)


def doubled(items: Sequence[Item], key: str) -> list[str]:
    """Return a note with the number of rows that repeat an earlier one in text and answers, if any do.

    Args:
        key: of the settings that names their file.
    """
    count = len(items) - len({_content(item) for item in items})
    return [f"{count:,} of {len(items):,} rows of {key} {_verb(count)} an earlier one"] if count else []


def in_both(train: Sequence[Item], test: Sequence[Item]) -> list[str]:
    """Return a note with the number of test rows that are among the rows to demonstrate, if any are."""
    to_demonstrate = {_content(item) for item in train}
    count = sum(_content(item) in to_demonstrate for item in test)
    be = "is" if count == 1 else "are"
    return (
        [f"{count:,} of {len(test):,} test rows {be} among the rows to demonstrate (text and answer)"] if count else []
    )


def _content(item: Item) -> tuple[str, tuple[str, ...], int]:
    return item.prompt, item.answers, item.right


def _verb(count: int) -> str:
    return "repeats" if count == 1 else "repeat"
