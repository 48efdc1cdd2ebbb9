"""Directories of runs and sweeps of a kind that the lab does not know, as its writers leave them."""

import functools
import pathlib

from analysis.report import publish
from analysis.report.present import present
from analysis.tables.gather import PointDirectory, gather
from lab.config.compose import compose
from lab.config.identity import to_yaml
from lab.runs.directory import RunDirectory

KIND = "bouncing"
RESULTS = pathlib.Path(__file__).parents[2] / "docs" / "results"


@functools.cache
def judged():
    """The claims on all kept tables. Tests must not change them."""
    return publish.judged(RESULTS)


def started(path: pathlib.Path) -> RunDirectory:
    path.mkdir(parents=True)
    (path / "figures").mkdir()
    directory = RunDirectory(path)
    directory.write_text("config.yaml", to_yaml(compose(["experiment=plain"])))
    directory.write_text("environment.json", '{"devices": ["cpu"], "cpus": 2, "git_revision": "none"}')
    return directory


def head(kind: str = KIND, figure: str = "", name: str = "bounces") -> dict:
    about = {"experiment": name, "kind": kind, "config_hash": "0", "command": "python run.py"}
    return about | {"figure": figure, "settings": {"seed": "3"}}


def run(path: pathlib.Path, numbers: dict, rows: list[dict], kind: str = KIND, figure: str = "") -> RunDirectory:
    """A finished run with one table, `heights`."""
    directory = started(path)
    directory.write_table("heights", rows)
    rest = {"numbers": numbers, "tables": ["heights"], "notes": ["a note"], "seconds": {"total": 2.0}, "claims": []}
    directory.write_summary(head(kind, figure) | rest)
    present(directory)
    directory.finish()
    return directory


def sweep(path: pathlib.Path, points: list[PointDirectory], figure: str = "points", name: str = "bounces"):
    directory = started(path)
    gather(directory, head(figure=figure, name=name), points)
    present(directory)
    if all(point.directory.done for point in points):
        directory.finish()
    return directory


def bounces(path: pathlib.Path, figure: str = "points", failing: bool = False) -> RunDirectory:
    """A sweep of two drops by three heights; `failing`: the last has no numbers, and says why."""
    return sweep(path, drops(path, failing), figure)


def drops(path: pathlib.Path, failing: bool = False) -> list[PointDirectory]:
    """The points of such a sweep, beside its directory."""
    points = []
    for ball in ("rubber", "glass"):
        for height in (1, 2, 3):
            place, name = {"part": ball, "drop.height": str(height)}, f"{ball}, height={height}"
            here = path.parent / f"{path.name}_{ball}{height}"
            if failing and (ball, height) == ("glass", 3):
                directory = RunDirectory(here)
                directory.fail("it broke")
            else:
                numbers = {"bounces": 10.0 * height, "bounces.stderr": 0.5, "seconds": 1e-12, "noise": None}
                directory = run(here, numbers, [{"time": 0, "height": height}, {"time": 1, "height": 0.25}])
            settings = {"air.density": "1.2", "drop.height": "not shown twice"}
            points.append(PointDirectory(name, place, settings, directory, command=f"python run.py {name}"))
    return points
