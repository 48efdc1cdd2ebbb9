"""The words of `python run.py decide=DIR minutes=M`.

DIR is the directory of a run, or a folder of kept tables, whose command lacks the paths of files: `data.dir=`,
`data.path=`.
It may be somebody else's: what its command says is trained, and no file that it names is executed, but for one that
the command line names too, `use=FILE`.
"""

import pathlib

from analysis.report import untrusted
from analysis.report.published import MADE_BY
from lab.config import multirun, user_code
from lab.config.points import Point, point
from lab.errors import UserError
from lab.runs.directory import RunDirectory
from lab.runs.safe_read import refuse_links
from trainers.decide.decide import Decision

PLACES = ("data.dir", "data.path")  # words that kept commands lack
WHERE = ("run.", "run=", "data.cache")  # and those that say where is written
MINUTES = 10.0  # the budget, where none is given


def answer(words: list[str]) -> None:
    """Answer a command line.

    Args:
        words: decide=DIR, and perhaps minutes=M, use=FILE, which is imported already, and, for kept tables,
            data.dir=DIR or data.path=FILE.

    Raises:
        UserError: a word is not allowed there, or DIR has no finished run with seeds and no kept tables of one.
    """
    own_words = [word for word in words if user_code.WORD.match(word)]
    words = [word for word in words if word not in own_words]
    values = {(parts := word.partition("="))[0]: parts[2] for word in words}
    directory = RunDirectory(pathlib.Path(values.get("decide", "")))
    is_kept = (directory.path / MADE_BY).is_file()
    allowed = {"decide", "minutes", *(PLACES if is_kept else ())}
    if not values.keys() <= allowed or len(values) < len(words) or not values["decide"]:
        others = "minutes=M, data.dir=DIR, data.path=FILE" if is_kept else "minutes=M"
        raise UserError(f"{' '.join(words)}: allowed are decide=DIR, and beside it {others} and use=FILE.py")
    minutes = _minutes(values.get("minutes"))
    refuse_links(directory.path)
    with user_code.closed():
        if is_kept:
            root = _of_kept(directory, [*(word for word in words if word.startswith(PLACES))], own_words)
            Decision(root, directory, directory.path.name, minutes).run()
        else:
            root = _made_by(directory, own_words)
            Decision(root, directory, directory.read_summary()["figure"], minutes).run()


def _minutes(text: str | None) -> float:
    try:
        minutes = MINUTES if text is None else float(text)
    except ValueError:
        minutes = -1.0
    if not 0 <= minutes < float("inf"):
        raise UserError(f"minutes={text}: must be a number, >= 0")
    return minutes


def _made_by(directory: RunDirectory, own_words: list[str]) -> Point:
    """Return the command line that made a finished run or sweep."""
    if not directory.has_summary or not directory.done:
        raise UserError(
            f"decide={directory.path}: no finished run; allowed are directories that runs print, as runs/NAME/HASH, "
            "and folders of kept tables, as docs/results/NAME"
        )
    untrusted.check_summary(directory)
    root = point(multirun.stored(multirun.split(directory.read_summary()["command"]), own_words))
    if (today := RunDirectory.of(root.settings).path.resolve()) != directory.path.resolve():
        raise UserError(
            f"decide={directory.path}: its command makes {today} today; call it from the folder where it was made"
        )
    return root


def _of_kept(directory: RunDirectory, places: list[str], own_words: list[str]) -> Point:
    """Return the command line that made the tables of a folder of published ones, with the user's places of files."""
    command, *_ = directory.read_text(MADE_BY).splitlines() or [""]
    words = [word for word in multirun.split(command) if not word.lstrip("+").startswith((*PLACES, *WHERE))]
    # The last words count, so neither a section, a size nor a part of the command says where is written.
    return point(multirun.stored([*words, *places, "run.dir=runs", "run.force=false"], own_words))
