"""The words of `python run.py decide=DIR minutes=M`.

DIR is that of a run, or a folder of kept tables, whose command lacks the places of files: `data.dir=`, `data.path=`.
"""

import pathlib
import shlex

from analysis.report.published import MADE_BY
from lab.config import multirun
from lab.config.points import Point, point
from lab.errors import UserError
from lab.runs.directory import RunDirectory
from trainers.decide.decide import Decision

PLACES = ("data.dir", "data.path")  # words that kept commands lack
MINUTES = 10.0  # the budget, where none is given


def answer(words: list[str]) -> None:
    """Answer a command line.

    Args:
        words: decide=DIR, and perhaps minutes=M and, for kept tables, data.dir=DIR or data.path=FILE.

    Raises:
        UserError: a word is not allowed there, or DIR has no finished run with seeds and no kept tables of one.
    """
    values = {(parts := word.partition("="))[0]: parts[2] for word in words}
    directory = RunDirectory(pathlib.Path(values.get("decide", "")))
    is_kept = (directory.path / MADE_BY).is_file()
    allowed = {"decide", "minutes", *(PLACES if is_kept else ())}
    if not values.keys() <= allowed or len(values) < len(words) or not values["decide"]:
        others = "minutes=M, data.dir=DIR, data.path=FILE" if is_kept else "minutes=M"
        raise UserError(f"{' '.join(words)}: allowed are decide=DIR, and beside it {others} and use=FILE.py")
    minutes = _minutes(values.get("minutes"))
    if is_kept:
        root = _of_kept(directory, [word for word in words if word.startswith(PLACES)])
        Decision(root, directory, directory.path.name, minutes).run()
    else:
        Decision(_made_by(directory), directory, directory.read_summary()["figure"], minutes).run()


def _minutes(text: str | None) -> float:
    try:
        minutes = MINUTES if text is None else float(text)
    except ValueError:
        minutes = -1.0
    if not 0 <= minutes < float("inf"):
        raise UserError(f"minutes={text}: must be a number, >= 0")
    return minutes


def _made_by(directory: RunDirectory) -> Point:
    """Return the command line that made a finished run or sweep."""
    if not directory.has_summary or not directory.done:
        raise UserError(
            f"decide={directory.path}: no finished run; allowed are directories that runs print, as runs/NAME/HASH, "
            "and folders of kept tables, as docs/results/NAME"
        )
    root = _root(directory, directory.read_summary()["command"])
    if (today := RunDirectory.of(root.settings).path.resolve()) != directory.path.resolve():
        raise UserError(
            f"decide={directory.path}: its command makes {today} today; call it from the folder where it was made"
        )
    return root


def _of_kept(directory: RunDirectory, places: list[str]) -> Point:
    """Return the command line that made the tables of a folder of published ones, with the user's places of files."""
    command = directory.read_text(MADE_BY).splitlines()[0]
    words = [word for word in shlex.split(command) if not word.startswith(PLACES)]
    return _root(directory, shlex.join([*words, *places]))


def _root(directory: RunDirectory, command: str) -> Point:
    """Return the run or sweep of a command, `python run.py WORDS`."""
    commands = list(multirun.commands(shlex.split(command)[2:]))
    if len(commands) != 1 or {*commands[0]} & {*multirun.MULTIRUN}:
        raise UserError(
            f"decide={directory.path}: it was made by several commands or by a launcher; give one run or sweep"
        )
    return point(commands[0])
