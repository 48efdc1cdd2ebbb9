"""The words of `python run.py decide=DIR minutes=M`."""

import pathlib
import shlex

from lab.config import multirun
from lab.config.points import Point, point
from lab.errors import UserError
from lab.runs.directory import RunDirectory
from trainers.decide.decide import Decision

MINUTES = 10.0  # the budget, where none is given


def answer(words: list[str]) -> None:
    """Answer a command line.

    Args:
        words: decide=DIR, and perhaps minutes=M.

    Raises:
        UserError: a word is not allowed there, or DIR has no finished run with seeds.
    """
    values = {(parts := word.partition("="))[0]: parts[2] for word in words}
    if not values.keys() <= {"decide", "minutes"} or len(values) < len(words) or not values["decide"]:
        raise UserError(f"{' '.join(words)}: allowed are decide=DIR, and beside it minutes=M and use=FILE.py")
    minutes = _minutes(values.get("minutes"))
    Decision(_made_by(RunDirectory(pathlib.Path(values["decide"]))), minutes).run()


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
            f"decide={directory.path}: no finished run; allowed are directories that runs print, as runs/NAME/HASH"
        )
    commands = list(multirun.commands(shlex.split(directory.read_summary()["command"])[2:]))
    if len(commands) != 1 or {*commands[0]} & {*multirun.MULTIRUN}:
        raise UserError(
            f"decide={directory.path}: it was made by several commands or by a launcher; give one run or sweep"
        )
    root = point(commands[0])
    if (today := RunDirectory.of(root.settings).path.resolve()) != directory.path.resolve():
        raise UserError(
            f"decide={directory.path}: its command makes {today} today; call it from the folder where it was made"
        )
    return root
