"""`python run.py report=DIR,DIR` makes figures, verdicts and reports again from the tables of finished runs. No JAX.

With `style=paper` their figures are drawn for a paper, too.

Runs with figures or learners of the user's own need `python run.py use=FILE.py report=DIR`.
"""

import glob
import pathlib

from analysis import figures
from analysis.figures import for_paper
from analysis.report import untrusted
from analysis.report.nested import is_nested, members
from analysis.report.present import present
from lab.config import user_code
from lab.config.choices import Style
from lab.errors import UserError, printable
from lab.runs.directory import RunDirectory


def redraw(words: list[str]) -> None:
    """Make the reports of some directories again; for a sweep of sweeps also the reports of its points.

    Args:
        words: report=DIR,DIR,..., where * stands for any characters of a name; and style=NAME.

    Raises:
        UserError: one of the directories has no finished run, or there is no such style.
    """
    styles = [word.removeprefix("style=") for word in words if word.startswith("style=")]
    if unknown := [name for name in styles if name not in Style.__members__]:
        raise UserError(f"style={unknown[0]}: allowed are {', '.join(Style.__members__)}")
    words = [word for word in words if not word.startswith("style=")]
    for directory in [_finished(path) for word in words for path in _paths(word)]:
        with untrusted.explained(directory):
            for each in _checked(directory, {}):
                present(each)
                if styles and styles[-1] == Style.paper.name:
                    for_paper.draw(each)
        print(f"report:  {directory.path / 'report.html'}")


def _checked(directory: RunDirectory, states: dict[pathlib.Path, bool]) -> list[RunDirectory]:
    """Return the directories to draw for a report, in order: the points of a sweep of sweeps, each once, then itself.

    Args:
        states: {path: whether all of its points are checked} of the directories visited so far.

    Raises:
        UserError: a directory cannot be drawn again, or is a point of itself.
    """
    if states.setdefault(directory.path, False):
        return []
    untrusted.check(directory)
    summary = directory.read_summary()
    file = printable(str(directory.read_config().get("use") or ""))
    _check_figures(directory, summary, file)
    if file and not user_code.is_imported(file):
        print(f"note: {directory.path} was made with use={file}; without it, learners that it adds are not drawn")
    points: list[RunDirectory] = []
    if is_nested(summary):
        there = members(directory)
        if missing := summary["points"].keys() - there.keys():  # the new report would lack these points
            raise UserError(
                f"report={directory.path}: the directories of its points are not where points.csv says, relative "
                f"to {directory.path.parent}: {', '.join(sorted(missing))}"
            )
        for member in there.values():
            if states.get(member.path) is False:
                raise UserError(f"report={directory.path}: {member.path} is a point of itself")
            points += _checked(member, states)
    states[directory.path] = True
    return [*points, directory]


def _check_figures(directory: RunDirectory, summary: dict, file: str) -> None:
    """Check that all figures that a directory names exist.

    Raises:
        UserError: one of them is not registered, as it is the user's own or of an earlier version.
    """
    names = {summary["figure"], *(point["figure"] for point in summary.get("unfinished", {}).values())}
    if unknown := sorted(names - {"", *figures.names()}):
        own = "one of the user's own, so add" if file else "gone with its experiment, or one of the user's own: add"
        raise UserError(
            f"report={directory.path}: no such figure: {unknown[0]}; it is {own} use={file or 'FILE.py'}, the file "
            "that registers it"
        )


def _paths(word: str) -> list[str]:
    key, _, value = word.partition("=")
    if key == "report" and not all(value.split(",")):
        raise UserError(f"{word}: a name is empty; give report=DIR,DIR,... of finished runs, as runs/NAME/HASH")
    if key != "report":
        raise UserError(f"{word}: beside report=DIR,DIR,... no other word but style=paper and use=FILE.py is allowed")
    return [path for pattern in value.split(",") for path in sorted(glob.glob(pattern)) or [pattern]]


def _finished(path: str) -> RunDirectory:
    directory = RunDirectory(pathlib.Path(path).resolve())
    if not (directory.path / "config.yaml").exists():
        what = "it has no config.yaml" if directory.has_summary else "no run's directory"
        raise UserError(f"report={path}: {what}; allowed are directories that runs print, as runs/NAME/HASH")
    if not directory.has_summary:
        raise UserError(f"report={path}: that run has not come to its end; start it again by the same command")
    return directory
