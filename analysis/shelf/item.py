"""A run or sweep as the shelf shows it: question, answer, settings, numbers. Read from its directory's text files.

A directory may be damaged or somebody else's: an entry that is not of the lab's form is left out, and nothing is
executed.
"""

import dataclasses
import functools
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeGuard

from analysis.report.blocks import verdict
from lab.config.base import Base
from lab.config.compose import compose
from lab.config.experiments import experiments
from lab.config.identity import iter_settings, of_schema, of_section, shown
from lab.config.kinds import FILES, KINDS, SCHEMAS
from lab.errors import printable
from lab.runs import safe_read
from lab.runs.outdated import why_stale
from lab.runs.scan import Listed, State, listed
from tasks.datasets.files import OF_OTHERS, reading_at_most

LARGEST = 1e150  # the largest number: sums of squares stay finite
LONGEST = 300  # most characters of a shown text
STALE = "stale"


@dataclasses.dataclass(frozen=True)
class Item:
    """One row of the shelf.

    settings: {key: value} of all keys, whether results depend on them or not. seconds: None if not known.
    points: the number of a sweep's points; None for a single run. claims: (statement, verdict).
    reference: of a comparison, the learner that the Transformer is compared with. stale: the reason why a finished run
        is outdated; "" if it is up to date, or before `marked`.
    """

    listed: Listed
    question: str
    answer: str
    kind: str
    command: str
    settings: dict[str, str]
    numbers: dict[str, float]
    tables: list[str]
    claims: list[tuple[str, str]]
    seconds: float | None
    points: int | None
    reference: str = ""
    stale: str = ""

    @property
    def name(self) -> str:
        """Return NAME/HASH."""
        return self.listed.name

    @property
    def path(self) -> pathlib.Path:
        """Return its directory."""
        return self.listed.path

    @property
    def state(self) -> str:
        """Return its state in words, such as `done, stale` for a finished run that is outdated."""
        return f"{self.listed.state.name}, {STALE}" if self.stale else self.listed.state.name

    @property
    def says(self) -> str:
        """Return the answer, or the reason why there is none."""
        return self.listed.why or self.answer


def read_all(folder: str) -> list[Item]:
    """Return all runs and sweeps below a run.dir, by name."""
    questions = experiments()
    return [read(each_listed, questions.get(each_listed.experiment, "")) for each_listed in listed(folder)]


def marked(items: Iterable[Item], own_words: list[str]) -> list[Item]:
    """Return the runs with the reasons why finished ones are outdated (`Item.stale`).

    Args:
        own_words: `use=FILE` of the command line, which is imported already.
    """
    with reading_at_most(OF_OTHERS):
        return [
            dataclasses.replace(item, stale=one_line(why_stale(item.path, own_words)))
            if item.listed.state is State.done
            else item
            for item in items
        ]


def read(place: Listed, question: str) -> Item:
    """Return a run or sweep as its files describe it."""
    summary = _mapping(safe_read.from_json, place.path / "summary.json")
    config = _mapping(safe_read.from_yaml, place.path / "config.yaml")
    points = summary.get("points")
    return Item(
        dataclasses.replace(place, why=one_line(place.why)),
        question,
        one_line(_text(summary.get("answer"))),
        _text(summary.get("kind")),
        one_line(_text(summary.get("command")), longest=10_000),
        {key: shown(value) for key, value in flat(config)},
        numbers_in(summary.get("numbers")),
        [name for name in _list(summary.get("tables")) if isinstance(name, str)],
        _claims(summary.get("claims")),
        numbers_in(summary.get("seconds")).get("total"),
        len(points) if isinstance(points, dict) else None,
        _text(summary.get("reference")),
    )


def differing(items: Iterable[Item]) -> dict[str, dict[str, str]]:
    """Return {NAME/HASH: {key: value}} of the settings in which runs, or sweeps, of the same experiment differ, where
    their values are not those of the experiment's file."""
    groups: dict[tuple[str, bool], list[Item]] = {}
    for item in items:
        groups.setdefault((item.listed.experiment, item.points is None), []).append(item)
    return {
        item.name: {key: value for key in keys if (value := item.settings.get(key)) not in (None, usual.get(key))}
        for (experiment, _), group in groups.items()
        for keys, usual in [(differing_keys(group), _usual(experiment))]
        for item in group
    }


def differing_keys(items: Iterable[Item]) -> list[str]:
    """Return the keys that results depend on and whose values differ among these runs."""
    configured = [item for item in items if item.settings]
    keys = dict.fromkeys(key for item in configured for key in item.settings if key not in _ignored(item.kind))
    return [key for key in keys if len({item.settings.get(key) for item in configured}) > 1]


def one_line(text: str, longest: int = LONGEST) -> str:
    """Return a text, which may be somebody else's, as one line without control characters."""
    line = printable(text.strip()[: longest + 1])
    return line if len(line) <= longest else f"{line[: longest - 3]}..."


def numbers_in(entries: object) -> dict[str, float]:
    """Return the entries that are finite numbers."""
    pairs = entries.items() if isinstance(entries, dict) else ()
    return {one_line(str(key)): float(value) for key, value in pairs if is_number(value)}


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value, which may be somebody else's, is a number to calculate with."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST < value < LARGEST


def flat(config: Mapping, prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield (key, value) of a stored configuration. For a section that a key chose, the key with the schema's name
    comes first.
    """
    for key, value in config.items():
        if not isinstance(value, dict) or key in ("parts", "other_sizes"):
            yield f"{prefix}{key}", str(value) if isinstance(value, dict) else value
            continue
        if isinstance(value.get("name"), str):
            yield f"{prefix}{key}", value["name"]
        for inner, each_value in flat(value, f"{prefix}{key}."):
            if not inner.endswith(".name"):
                yield inner, each_value


@functools.cache
def _usual(experiment: str) -> dict[str, str]:
    """The settings of an experiment as its file has them; {} without a file."""
    if experiment not in FILES:
        return {}
    return {one.key: one.shown for one in iter_settings(compose([f"experiment={experiment}"]))}


def _mapping(parse, path: pathlib.Path) -> dict:
    """The entries of a file; {} if it is missing or damaged."""
    try:
        entries = parse(safe_read.text(path) or "{}")
    except ValueError:
        return {}
    return entries if isinstance(entries, dict) else {}


@functools.cache
def _ignored(kind: str) -> set[str]:
    """The keys that results do not depend on, and the keys that the lab fills in."""
    settings = KINDS[kind].schema() if kind in KINDS else Base()
    keys = [*of_section("", settings, settings)]
    keys += (one for key in settings.GROUPS for schema in SCHEMAS[key].values() for one in of_schema(key, schema))
    return ({one.key for one in keys if one.metadata.get("not_hashed")} | {"made_from"}) - {"use"}


def _claims(entries: object) -> list[tuple[str, str]]:
    return [
        (
            one_line(": ".join(filter(None, [_text(claim.get("point")), _text(claim.get("statement"))]))),
            one_line(verdict({"outcome": _text(claim.get("outcome")), "holds": holds})),
        )
        for claim in _list(entries)
        if isinstance(claim, dict) and ((holds := claim.get("holds")) is None or isinstance(holds, bool))
    ]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _list(value: object) -> list:
    return value if isinstance(value, list) else []
