"""The times that experiments take: `costs.csv`, and the command that writes what finished runs took into it.

    python -m experiments.costs runs

The table has a row per experiment and size, of runs on at most two CPU cores with no other overrides: `seconds`, and
`inputs`, the seconds of the runs that it starts from, where these are not done yet.
"""

import contextlib
import csv
import math
import pathlib
import sys
from typing import Any

from lab.config.experiments import duration, finished
from lab.config.imported import without_program

FILE = pathlib.Path(__file__).with_name("costs.csv")
SIZE = "size="
CORES = 2


def costs() -> dict[str, tuple[float, str]]:
    """Return {experiment: seconds on two CPU cores, and how long it takes in words}."""
    seconds: dict[str, float] = {}
    words: dict[str, str] = {}
    for row in _rows():
        name, size, text = row["experiment"], row["size"], duration(float(row["seconds"]))
        text += f", and {duration(float(row['inputs']))} for the runs it starts from" if row["inputs"] else ""
        text += f" ({row['remark']})" if row["remark"] else ""
        words[name] = f"{words[name]}; {SIZE}{size} {text}" if size and name in words else text
        seconds.setdefault(name, float(row["seconds"]))
    return {name: (seconds[name], text) for name, text in words.items()}


def _rows() -> list[dict[str, str]]:
    with open(FILE, newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def measured(folder: pathlib.Path) -> dict[tuple[str, str], float]:
    """Return {(experiment, size): seconds} of the finished runs on at most CORES cores and no accelerator
    that have no other overrides."""
    from lab.runs import safe_read

    seconds = {}
    for path in [path for experiment in sorted(folder.glob("*")) for path in finished(experiment)]:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):  # a damaged file
            summary: Any = safe_read.from_json(safe_read.text(path / "summary.json") or "")
            machine: Any = safe_read.from_json(safe_read.text(path / "environment.json") or "")
            parts = [part.partition("=") for part in without_program(summary["command"].split())]
            overrides = {key: value for key, _, value in parts}
            name, size = overrides.pop("experiment", ""), overrides.pop("size", "")
            total, alike = float(summary["seconds"]["total"]), machine["cpus"] <= CORES and machine["backend"] == "cpu"
            if name and alike and math.isfinite(total) and not {*overrides} - {"run.dir", "run.force", "-m"}:
                seconds[name, size] = total
    return seconds


def write(folder: pathlib.Path) -> None:
    """Write what finished runs below a folder have taken into the table; other rows stay as they are."""
    rows = {(row["experiment"], row["size"]): row for row in _rows()}
    for (name, size), seconds in measured(folder).items():
        new = {"experiment": name, "size": size, "inputs": "", "remark": ""}
        rows[name, size] = new | rows.get((name, size), {}) | {"seconds": f"{seconds:.0f}"}
    with open(FILE, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["experiment", "size", "seconds", "inputs", "remark"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
