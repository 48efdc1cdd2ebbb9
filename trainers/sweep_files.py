"""The files of a sweep's own directory, and the figures of finished runs. Nothing is run here."""

import os

from analysis.report.present import JUDGED_BY, is_judged_by_others, present
from analysis.tables.gather import PointDirectory, gather
from lab.config.identity import config_hash, iter_settings, shown_differences
from lab.config.kinds import figure_of, kind_of
from lab.config.points import Point
from lab.runs import console, validity
from lab.runs.directory import RunDirectory
from lab.runs.hosts import on_first_process


@on_first_process
def present_again(each: Point, directory: RunDirectory) -> None:
    """Draw and judge a finished run or sweep again, if another figure is wanted or code has changed since."""
    summary = directory.read_summary()
    has_figure, others = summary["figure"] == figure_of(each.settings), is_judged_by_others(directory)
    if has_figure and not others:
        return
    if has_figure:
        why = "code has changed since" if JUDGED_BY in summary else "that was stopped before its end"
        console.say(f"{directory.path}: judged and drawn again from its tables, as {why}")
    for name, point in directory.points().items():
        if name in summary.get("points", {}):
            if is_judged_by_others(point):
                present(point)
            summary["points"][name] = point.read_summary()
    directory.write_summary(summary | {"figure": figure_of(each.settings), JUDGED_BY: None})
    present(directory)


@on_first_process
def gather_points(root: Point, directory: RunDirectory, failed: dict[str, str]) -> None:
    """Write the sweep's own files, and DONE if no point is missing. Where a repetition by `run.force` fails, an earlier
    result stays, as those of the points do.
    """
    if failed and not root.settings.run.force:
        directory.reopen()
    unfinished = directory.unfinished
    unfinished.begin(root.settings)
    head = {
        "experiment": root.settings.name,
        "kind": kind_of(root.settings),
        "config_hash": config_hash(root.settings),
        "command": console.command(root.shown_words),
        "figure": figure_of(root.settings),
        "settings": shown_differences(root.settings),
    }
    keys = {key for each in root.points for key in shown_differences(each.settings)} - {"parts", "grid"}
    gather(unfinished, head, [_place(each, keys) for each in root.points])
    present(unfinished)
    if not failed:
        unfinished.finish()
        directory.take_place()


def _place(each: Point, keys: set[str]) -> PointDirectory:
    """Return the directory of a point, with its settings of the given keys."""
    settings = {setting.key: setting.shown for setting in iter_settings(each.settings) if setting.key in keys}
    directory, command = RunDirectory.of(each.settings).latest, console.command(each.words)
    return PointDirectory(each.name, each.place, settings, directory, command, figure_of(each.settings))


def has_other_points(root: Point, directory: RunDirectory) -> bool:
    """Return whether the tables are from other runs: after a change of the user's file points have other hashes."""
    runs = [row["run"] for row in directory.read_text_table("points")]
    paths = [RunDirectory.of(each.settings).path for each in root.points]
    return runs != [os.path.relpath(path, directory.path.parent) for path in paths]


@on_first_process
def is_outdated(root: Point, directory: RunDirectory) -> bool:
    """Return whether a point was run again after the sweep was gathered, or the sweep's own settings have changed."""
    points = [RunDirectory.of(each.settings) for each in root.points]
    later = [point for point in points if point.done and point.done_at > directory.done_at]
    return bool(later) or bool(validity.why_other(directory, root.settings))


def failures(root: Point) -> dict[str, str]:
    """Return {name: reason} for the points that are not done."""
    points = {each.name: RunDirectory.of(each.settings) for each in root.points}
    force = root.settings.run.force
    return {
        name: point.unfinished.failure.splitlines()[-1]
        for name, point in points.items()
        if not point.done or (force and point.unfinished.failed)
    }


def reasons(failed: dict[str, str]) -> str:
    """Return 'NAMES: reason; NAMES: reason'."""
    names: dict[str, list[str]] = {}
    for name, why in failed.items():
        names.setdefault(why, []).append(name)
    return "; ".join(f"{_some(group)}: {why}" for why, group in names.items())


def _some(names: list[str]) -> str:
    return " and ".join(names) if len(names) < 4 else f"{names[0]} and {len(names) - 1} more"
