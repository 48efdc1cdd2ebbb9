"""`python run.py report=DIR,DIR`: figures, verdicts and reports again, from the tables of finished runs. No JAX."""

import glob
import pathlib

from analysis.report.paper import members
from analysis.report.present import present
from lab.errors import UserError
from lab.runs.directory import RunDirectory


def redraw(words: list[str]) -> None:
    """Each word is report=DIR,DIR,..., where * stands for any name; with a paper its experiments are drawn again too.

    Raises:
        UserError: there is no finished run at one of them.
    """
    for directory in [_finished(path) for word in words for path in _paths(word)]:
        if "experiments" in directory.read_summary():
            there = [of for of in members(directory).values() if of.has_summary]
            if not there:  # its report would lose all it has
                raise UserError(
                    f"report={directory.path}: its experiments are not beside it, under {directory.path.parent.parent}"
                )
            for member in there:
                present(member)
        present(directory)
        print(f"report:  {directory.path / 'report.html'}")


def _paths(word: str) -> list[str]:
    key, _, value = word.partition("=")
    if key != "report" or not value:
        raise UserError(f"{word}: beside report=DIR,DIR,... no other word is allowed")
    return [path for pattern in value.split(",") for path in sorted(glob.glob(pattern)) or [pattern]]


def _finished(path: str) -> RunDirectory:
    directory = RunDirectory(pathlib.Path(path).resolve())
    if not (directory.path / "config.yaml").exists():
        raise UserError(f"report={path}: no run's directory; allowed are those that runs print, as runs/NAME/HASH")
    if not directory.has_summary:
        raise UserError(f"report={path}: that run has not come to its end; start it again by the same command")
    return directory
