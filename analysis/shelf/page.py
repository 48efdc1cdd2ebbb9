"""Writes `runs/index.html`: the shelf as one page in one file, which loads nothing.

All that comes from directories is data: JSON in which no `<` is left, and which the script only ever shows as text.
"""

import json
import os
import pathlib
from collections.abc import Sequence

from analysis.figures.labels import word_of
from analysis.figures.words import main_names
from analysis.shelf.by_seed import by_seed
from analysis.shelf.curves import curves
from analysis.shelf.item import Item, differing, differing_keys
from lab.runs import own_files, safe_read
from lab.runs.console import say

HERE = pathlib.Path(__file__).parent
NAME = "index.html"
MARK = '<meta name="generator" content="icl-gd-lab runs">'  # in the head of every such page


def write(folder: str, items: Sequence[Item]) -> None:
    """Write the page of the runs below a run.dir; where that cannot be done a line says why."""
    path = pathlib.Path(folder) / NAME
    if os.path.lexists(path) and MARK not in (safe_read.text(path) or ""):
        return say(f"note: {path} is not a page of this lab; it is left as it is")
    text = render(items)
    try:
        own_files.write(path, text)
    except OSError as error:
        return say(f"note: {path} cannot be written ({error.strerror})")
    say(f"page: {path}")


def render(items: Sequence[Item]) -> str:
    """Return the page as text."""
    parts = {name: (HERE / name).read_text(encoding="utf-8") for name in ("shelf.html", "shelf.css", "shelf.js")}
    page = parts["shelf.html"].replace("/*STYLE*/", parts["shelf.css"]).replace("/*SCRIPT*/", parts["shelf.js"])
    return page.replace("/*DATA*/", as_json(data(items)))


def as_json(entries: object) -> str:
    """Return JSON that can stand in a script element: it has no `<`, `>` and `&`."""
    text = json.dumps(entries, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def data(items: Sequence[Item]) -> dict:
    """Return what the page shows.

    Returns:
        {questions: {experiment: question}, labels: {number: its label with its unit}, ignored: [keys in which no
        results differ], runs: one entry per run}.
    """
    differences = differing(items)
    labels = {name: word_of(item.kind, name).title for item in items for name in main_names(item.numbers)}
    keys = {key for item in items for key in item.settings}
    compared = {*differing_keys(items)}
    return {
        "questions": {item.listed.experiment: item.question for item in items},
        "labels": labels,
        "ignored": sorted(keys - compared),
        "runs": [_run(item, differences.get(item.name, {})) for item in items],
    }


def _run(item: Item, differences: dict[str, str]) -> dict:
    return {
        "name": item.listed.experiment,
        "hash": item.path.name,
        "state": item.listed.state.name,
        "stale": item.stale,
        "why": item.listed.why,
        "answer": item.answer,
        "changed": round(item.listed.changed),
        "seconds": item.seconds,
        "size": item.listed.size,
        "points": item.points,
        "report": (item.path / "report.html").is_file(),
        "command": item.command,
        "differing": differences,
        "settings": item.settings,
        "numbers": {
            name: [item.numbers[name], item.numbers.get(f"{name}.stderr")] for name in main_names(item.numbers)
        },
        "seeds": {
            name: [*map(list, zip(*sorted(values.by_seed.items()), strict=True)), values.common]
            for name, values in by_seed(item).items()
        },
        "claims": item.claims,
        "curves": curves(item),
    }
