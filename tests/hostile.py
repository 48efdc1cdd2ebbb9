"""Directories of runs as somebody could make them who wants more than a report to be read: what is planted in one, and
the check that drawing it again ends in one line and changes nothing."""

import contextlib
import json
import os
import pathlib
import re
from collections.abc import Callable, Iterator

import pytest

from analysis.report.redraw import redraw
from lab.errors import UserError

SECRET = "a key that nobody else may see"
Plant = Callable[[pathlib.Path, pathlib.Path], object]  # (the directory, a folder outside it)


def outside(folder: pathlib.Path) -> pathlib.Path:
    """A folder with files that are none of the directory's business."""
    folder.mkdir(parents=True)
    (folder / "key").write_text(SECRET)
    (folder / "table.csv").write_text("point,run\na,b\n")
    return folder


def state(folder: pathlib.Path) -> dict[str, object]:
    """{path: its bytes, or where it leads} of everything below a folder; links are not followed."""
    return {
        str(path.relative_to(folder)): os.readlink(path)
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else "folder"
        if path.is_dir()
        else "neither"
        for path in folder.rglob("*")
    }


def check_refused(folder: pathlib.Path, directory: pathlib.Path, expected: str) -> None:
    """Drawing a directory again is refused in one line, and whatever is below the folder is as it was."""
    before = state(folder)
    with pytest.raises(UserError) as error:
        redraw([f"report={directory}"])
    line = str(error.value)
    assert line.isprintable()
    assert str(directory.resolve()) in line
    assert re.search(expected, line), line
    assert SECRET not in line
    assert state(folder) == before


@contextlib.contextmanager
def moved(path: pathlib.Path, elsewhere: pathlib.Path) -> Iterator[None]:
    """A file or folder is a link meanwhile, to where its content is then."""
    path.rename(elsewhere / "moved")
    path.symlink_to(elsewhere / "moved")
    yield
    path.unlink()
    (elsewhere / "moved").rename(path)


def link(name: str) -> Plant:
    def plant(directory: pathlib.Path, elsewhere: pathlib.Path) -> None:
        place = directory / name
        place.parent.mkdir(exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(elsewhere / "key")

    return plant


def pipe(name: str) -> Plant:
    """One that nobody writes to: whoever opens it waits for ever."""

    def plant(directory: pathlib.Path, elsewhere: pathlib.Path) -> None:
        (directory / name).unlink(missing_ok=True)
        os.mkfifo(directory / name)

    return plant


def summary(change: Callable[[dict, pathlib.Path], object]) -> Plant:
    def plant(directory: pathlib.Path, elsewhere: pathlib.Path) -> None:
        file = directory / "summary.json"
        content = json.loads(file.read_text())
        change(content, elsewhere)
        file.write_text(json.dumps(content))

    return plant


def points(run: Callable[[pathlib.Path, pathlib.Path], str]) -> Plant:
    """A row of points.csv, one more or the only one, whose run lies where it should not."""

    def plant(directory: pathlib.Path, elsewhere: pathlib.Path) -> None:
        file = directory / "points.csv"
        columns = file.read_text().splitlines()[0].split(",") if file.exists() else ["point", "run"]
        cells = {"point": "planted", "run": f'"{run(directory, elsewhere)}"'}
        lines = [] if file.exists() else [",".join(columns)]
        with open(file, "a") as table:
            table.writelines(f"{line}\n" for line in [*lines, ",".join(cells.get(name, "") for name in columns)])

    return plant


NOT_BESIDE = "points.csv: .* is not the directory of a run beside it"
COMMON: dict[str, tuple[Plant, str]] = {  # what is planted in a run of any kind, and what the line says
    "a temporary name": (link(".summary.json"), r"\.summary\.json is a symbolic link"),
    "the list of own files": (link(".written"), r"\.written is a symbolic link"),
    "a picture that is to be drawn": (link("figures/nosuch.png"), r"figures/nosuch\.png is a symbolic link"),
    "a dangling link": (lambda here, _: (here / "new.csv").symlink_to(here / "none"), r"new\.csv is a symbolic link"),
    "a link to a folder": (lambda here, there: (here / "more").symlink_to(there), "more is a symbolic link"),
    "a name of two lines": (link("a\nb\x1b[31m"), r"a\\nb\\x1b\[31m is a symbolic link"),
    "a pipe": (pipe("metrics.jsonl"), r"metrics\.jsonl is neither a file nor a folder"),
    "a summary that is a pipe": (pipe("summary.json"), r"summary\.json is neither a file nor a folder"),
    "a table elsewhere": (
        summary(lambda content, there: content["tables"].append("../../outside/table")),
        "'../../outside/table' is not the name of a table",
    ),
    "a table by its whole path": (
        summary(lambda content, there: content["tables"].append(str(there / "table"))),
        "is not the name of a table",
    ),
    "a figure elsewhere": (summary(lambda content, there: content.update(figure="../../x")), r"no such figure: \.\./"),
    "points by their whole path": (points(lambda here, there: str(there)), NOT_BESIDE),
    "points far above": (points(lambda here, there: "../../../outside"), NOT_BESIDE),
    "points above": (points(lambda here, there: ".."), NOT_BESIDE),
    "points through a run": (points(lambda here, there: "../x/../../outside"), NOT_BESIDE),
    "a point that is the folder": (points(lambda here, there: "."), NOT_BESIDE),
    "a point of itself": (points(lambda here, there: here.name), NOT_BESIDE),
    "points by a backslash": (points(lambda here, there: "..\\outside"), NOT_BESIDE),
}
