"""The list of experiments, read from the first comment lines of their files: questions, and what is done."""

import json
import pathlib
import re

from lab.config.imported import without_program
from lab.config.kinds import FILES

GROUPS = (  # the groups of the list, in this order
    "Sources",
    "One layer",
    "Several layers",
    "Real tables",
    "Figures of RAG-GD",
    "Retrieval",
    "Attention as gradient descent",
    "In context and fine-tuned",
    "Language models",
    "Functions in context",
)
GROUP = "Group: "  # the beginning of the comment that names an experiment's group
OTHERS = "Others"  # the group of experiments without this comment


def experiments() -> dict[str, str]:
    """Return {name: its question}, the first comment of each file."""
    return {name: comments(path)[0] for name, path in sorted(FILES.items())}


def done(name: str, folder: pathlib.Path) -> str:
    """Return the state of an experiment's runs below a folder: "done", "2 other runs done", or "".

    Only summaries are read. The settings of the runs are not compared with today's.
    """
    commands = [_command(path / "summary.json") for path in finished(folder / name)]
    if [f"experiment={name}"] in [without_program(command.split()) for command in commands]:
        return "done"
    return f"{len(commands)} other run{'s' * (len(commands) > 1)} done" if commands else ""


def finished(folder: pathlib.Path) -> list[pathlib.Path]:
    """Return the directories of an experiment's finished runs, the latest last, without those that a killed process has
    left under a temporary name."""
    marks = [mark for mark in folder.glob("*/DONE") if not re.match(r"\.|.*\.tmp$", mark.parent.name)]
    return [mark.parent for mark in sorted(marks, key=lambda mark: mark.stat().st_mtime)]


def _command(summary: pathlib.Path) -> str:
    """Return the command line of a finished run; "" if its summary cannot be read."""
    try:
        return str(json.loads(summary.read_text(encoding="utf-8"))["command"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""


def groups() -> dict[str, list[str]]:
    """Return {group: names of its experiments}: first `GROUPS`, then further groups in order, then `OTHERS`."""
    by_group: dict[str, list[str]] = {}
    for name, path in sorted(FILES.items()):
        named = [line.removeprefix(GROUP) for line in comments(path) if line.startswith(GROUP)]
        by_group.setdefault(named[0] if named else OTHERS, []).append(name)
    listed = [name for name in GROUPS if name in by_group]
    further = sorted({*by_group} - {*GROUPS, OTHERS})
    return {name: by_group[name] for name in (*listed, *further, OTHERS) if name in by_group}


def duration(seconds: float) -> str:
    """Return a rough duration in words.

    >>> duration(42), duration(250), duration(9000), duration(400000)
    ('40 seconds', '4 minutes', '2.5 hours', '5 days')
    """
    if seconds < 90:
        return f"{10 * max(1, round(seconds / 10))} seconds"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} minutes"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.2g} hours"
    return f"{round(seconds / 86400)} days"


def comments(path: pathlib.Path) -> list[str]:
    """Return the comments of an experiment's file, its question first."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.lstrip("# ") for line in lines if line.startswith("#")]
