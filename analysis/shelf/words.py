"""The words that choose runs and sort them: `rag_dot`, `failed`, `train.steps=2000`, `sort=age`."""

import dataclasses
from collections.abc import Callable, Sequence

from analysis.shelf.item import STALE, Item, one_line
from lab.config.experiments import experiments
from lab.config.imported import PROGRAM
from lab.errors import ConfigError, did_you_mean
from lab.runs.scan import State

SORTS: dict[str, Callable[[Item], tuple]] = {
    "name": lambda item: (item.listed.experiment, -item.listed.changed),
    "age": lambda item: (-item.listed.changed, item.name),  # the newest first
    "seconds": lambda item: (-(item.seconds or 0.0), item.name),
    "size": lambda item: (-item.listed.size, item.name),
}
STATES = [state.name for state in State]


@dataclasses.dataclass(frozen=True)
class Query:
    """A choice of runs: they have one of the states, all settings and all other words; with `stale`, outdated ones."""

    states: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()
    sort: str = "name"
    stale: bool = False

    @property
    def chooses(self) -> bool:
        """Return whether any word narrows the list."""
        return bool(self.states or self.settings or self.words or self.stale)


def parse(words: Sequence[str]) -> Query:
    """Return the query of a command line.

    Raises:
        ConfigError: a word is no setting, or there is no such order.
    """
    settings = [(key, value) for key, mark, value in (word.partition("=") for word in words) if mark]
    sorts = [value for key, value in settings if key == "sort"]
    if unknown := [name for name in sorts if name not in SORTS]:
        raise ConfigError(f"sort={unknown[0]}: allowed are {', '.join(SORTS)}")
    plain_words = [word for word in words if "=" not in word]
    if options := [word for word in plain_words if word.startswith("-")]:
        raise ConfigError(f"{options[0]}: runs has no options; `{PROGRAM} runs help` lists its words")
    return Query(
        tuple(word for word in plain_words if word in STATES),
        tuple((key, value) for key, value in settings if key != "sort"),
        tuple(word for word in plain_words if word not in (*STATES, STALE)),
        (sorts or ["name"])[-1],
        STALE in plain_words,
    )


def choose(items: Sequence[Item], query: Query) -> list[Item]:
    """Return the runs that a query chooses, in its order.

    Raises:
        ConfigError: no run has a key or word of the query, surely a slip of the pen.
    """
    _check(items, query)
    chosen = [item for item in items if _is_chosen(item, query)]
    return sorted(chosen, key=SORTS[query.sort])


def _is_chosen(item: Item, query: Query) -> bool:
    return (
        (not query.states or item.listed.state.name in query.states)
        and (bool(item.stale) or not query.stale)
        and all(key in item.settings and _same(item.settings[key], value) for key, value in query.settings)
        and all(_has(item, word) for word in query.words)
    )


def _has(item: Item, word: str) -> bool:
    """An experiment's whole name chooses that experiment alone; any other word is a part of a name or a text."""
    if word in experiments():
        return item.listed.experiment == word
    texts = (item.name, item.path.as_posix(), item.question, item.says, item.kind)
    return any(word.rstrip("/").lower() in text.lower() for text in texts)


def _same(stored: str, wanted: str) -> bool:
    """Numbers are compared as numbers; `a,b` stands for either."""
    if stored == wanted:
        return True
    options = wanted.split(",") if not wanted.startswith(("[", "{")) else [wanted]
    return stored in options or any(_number(stored) == _number(option) is not None for option in options)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _check(items: Sequence[Item], query: Query) -> None:
    keys = sorted({key for item in items for key in item.settings})
    for key, _ in query.settings:
        if items and key not in keys:
            close = did_you_mean(key, keys)
            raise ConfigError(f"{key}: no run here has this key; {close}allowed: a setting, or sort=NAME")
    names = sorted({item.listed.experiment for item in items} | {*experiments()})
    for word in query.words:
        if word not in names and not any(_has(item, word) for item in items):
            close = did_you_mean(word, [*names, *STATES, STALE])
            raise ConfigError(
                f"runs: {one_line(word)}: no run has this word; {close}allowed: a name, a hash, a word of a question "
                f"or an answer, {', '.join([*STATES, STALE])}, KEY=VALUE, sort=NAME"
            )
