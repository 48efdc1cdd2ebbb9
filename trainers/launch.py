"""From points to finished runs: one run, the points of a sweep, or sweeps of sweeps. Knows no kind of experiment.

Points with the same `Base.together` are handed to one call of their experiment. Each has a directory of its own, the
one that it has as a single run, and a point that is DONE is not run again: so an interrupted sweep goes on where it
stopped. The sweep's directory gets the tables of its points in one, a figure, its claims and a report.
"""

import contextlib
import os
import traceback

from analysis import figures
from analysis.report.present import present
from analysis.report.terminal import results
from analysis.tables.gather import PointDirectory, gather
from lab.config.choices import Stage
from lab.config.identity import config_hash, shown_differences
from lab.config.identity import each as all_settings
from lab.config.kinds import kind_of
from lab.config.points import Point, point, programs, walk
from lab.errors import ConfigError, UserError, explain
from lab.runs import console
from lab.runs.cache import keep_compiled_programs
from lab.runs.devices import find_devices, prepare_processes
from lab.runs.directory import RunDirectory
from lab.runs.hosts import on_first_process, same_on_all_processes
from lab.runs.trackers import catalogue as trackers
from trainers import keep, resume
from trainers.experiment import experiment_of
from trainers.record import Record


def launch(root: Point) -> None:
    """Run all that a command line asks for, as far as it is not done, and show the results.

    Raises:
        UserError: no experiment was chosen, the device that was asked for is missing, a directory cannot be written, or
            a run failed.
    """
    settings = root.settings
    if not settings.name:
        raise ConfigError("experiment: none was chosen; give experiment=NAME, `python run.py` alone lists them")
    for each in walk(root):
        _check(each)
    prepare_processes(settings)
    keep_compiled_programs(settings.device)
    find_devices(settings.device)
    if settings.sweep.stage is Stage.train:
        _run_program(root)
    else:
        _launch(root)


def _check(each: Point) -> None:
    """What only the tables of figures and trackers know of a point's settings."""
    figure, has_points = _figure(each), each.settings.has_points
    trackers.require(each.settings.tracker)
    if figure not in figures.names():
        raise ConfigError(f"figure={figure}: no such figure; allowed: {', '.join(figures.names())}")
    if each.settings.figure and figures.needs_points(figure) and not has_points:
        raise ConfigError(f"figure={figure}: it is of several points, and there are no parts and no grid")


def _run_program(root: Point) -> None:
    """What a launcher's job does: one of all programs. It only leaves word of what failed; who gathers reports it."""
    group = programs(root.runs)[root.settings.sweep.program]
    console.say(f"--- {root.settings.name}: program {root.settings.sweep.program + 1}")
    _run_group(group, stop=False)


def _launch(root: Point) -> None:
    _run_inputs(root)
    if root.settings.has_points:
        return _sweep(root)
    directory = RunDirectory.of(root.settings)
    record = _records([root])
    if record:
        _run(record)
        if record[0].failure:
            raise record[0].failure
    results(directory)


def _run_inputs(root: Point) -> None:
    """The runs that it starts from, which have to be there first."""
    for words in root.settings.inputs():
        needed = point([*words, f"run.dir={root.settings.run.dir}"])
        if not RunDirectory.of(needed.settings).done:
            console.say(f"--- first, what {root.settings.name} starts from: {console.command(words)}")
            _launch(needed)


def _sweep(root: Point) -> None:
    settings, directory = root.settings, RunDirectory.of(root.settings)
    with directory.locked(settings):
        failed = _run_points(root) if settings.sweep.stage is Stage.all else {}
        failed |= _failures(root)
        done = [each for each in root.points if RunDirectory.of(each.settings).done]
        if not done and not any(each.points for each in root.points):
            directory.begin(settings)  # what it had is of other points, or of before
            why = f"every point failed: {'; '.join(_reasons(failed))}"
            directory.fail(why)  # a sweep of sweeps shows it
            raise UserError(why)
        if failed or settings.run.force or not directory.done or _other_points(root, directory):
            _gather(root, directory, failed)
        elif directory.read_summary()["figure"] != _figure(root):
            _present_again(root, directory)
    results(directory)
    if failed:
        count = len({name for name in failed if name})
        why = "; ".join(_reasons(failed))
        raise UserError(f"{count} of {len(root.points)} points failed, the others are kept: {why}")


def _run_points(root: Point) -> dict[str, str]:
    """Run what is not done. {name of a point that is a sweep: why it did not finish}."""
    settings, failed = root.settings, {}
    runs = programs([each for each in root.points if not each.settings.has_points])
    for number, group in enumerate(runs, start=1):
        console.say(f"--- {settings.name}: program {number} of {len(runs)}")
        _run_group(group, settings.sweep.fail_fast)
    sweeps = [each for each in root.points if each.settings.has_points]
    for number, each in enumerate(sweeps, start=1):
        console.say(f"=== {each.name}, {number} of {len(sweeps)}")
        try:
            _launch(each)
        except Exception as error:
            if settings.sweep.fail_fast or not same_on_all_processes(error):
                raise
            failed[each.name] = _explained(error)
    return failed


def _explained(error: Exception) -> str:
    """One line, said; an error that nobody expected is said whole."""
    if (line := explain(error)) is None:
        console.say(traceback.format_exc())
        line = repr(error)
    console.say(f"failed: {line}")
    return line


def _records(points: list[Point]) -> list[Record]:
    """Of those that are not done; the others are said, and shown in the figure and the tracker that is asked for. Parts
    may share a run."""
    records, places = [], set()
    for each in points:
        directory = RunDirectory.of(each.settings)
        if directory.path in places:
            continue
        places.add(directory.path)
        if directory.done and not each.settings.run.force:
            console.already_done(directory)
            trackers.track_finished(each.settings, directory)
            if directory.read_summary()["figure"] != _figure(each):
                _present_again(each, directory)
        else:
            records.append(Record(each.settings, console.command(each.words)))
    return records


def _figure(each: Point) -> str:
    settings = each.settings
    return settings.figure or (settings.SWEEP_FIGURE if settings.has_points else settings.FIGURE)


@on_first_process
def _present_again(each: Point, directory: RunDirectory) -> None:
    """Another figure of a finished run."""
    directory.write_summary(directory.read_summary() | {"figure": _figure(each)})
    present(directory)


def _run_group(group: list[Point], stop: bool) -> None:
    """Run those of a program's points that are not done; say which failed, and stop if that is wanted."""
    for each in group:
        console.say(each.name)
        _run_inputs(each)
    for records in resume.groups(_records(group)):
        try:
            _run(records)
        except Exception as error:
            if stop or not same_on_all_processes(error):
                raise
            line = explain(error)
            for record in records:
                if not record.directory.done:
                    record.directory.fail(line or traceback.format_exc())
            console.say(f"failed: {line or repr(error)}")
        for record in records:
            if record.failure is not None:
                record.directory.fail(str(record.failure))
                if stop:
                    raise record.failure
                console.say(f"failed: {record.failure}")


def _run(records: list[Record]) -> None:
    """One call of an experiment, and what a reader sees of each run that did not fail."""
    with contextlib.ExitStack() as at_work:
        for record in records:
            at_work.enter_context(record.at_work())
            if record.settings.run.force:
                record.checkpoints.clear()
        experiment_of(records[0].settings).run(records)
        with console.busy("figures and report"):
            for record in records:
                if record.failure is None:
                    record.finish()
                    present(record.directory)
                    record.directory.finish()
                    if record.checkpoints.steps:
                        keep.announce(record.directory, record.settings)


@on_first_process
def _gather(root: Point, directory: RunDirectory, failed: dict[str, str]) -> None:
    """The sweep's own files, and DONE if no point is missing."""
    directory.begin(root.settings)
    head = {
        "experiment": root.settings.name,
        "kind": kind_of(root.settings),
        "config_hash": config_hash(root.settings),
        "command": console.command(root.words),
        "figure": _figure(root),
        "settings": shown_differences(root.settings),
    }
    gather(directory, head, [_place(each, root) for each in root.points])
    present(directory)
    if not failed:
        directory.finish()


def _place(each: Point, root: Point) -> PointDirectory:
    """Where a point is, with every setting in which any point differs from the defaults."""
    keys = {key for other in root.points for key in shown_differences(other.settings)}
    values = {setting.key: setting.shown for setting in all_settings(each.settings)}
    settings = {key: value for key, value in values.items() if key in keys and key not in ("parts", "grid")}
    directory = RunDirectory.of(each.settings)
    return PointDirectory(each.name, each.place, settings, directory, console.command(each.words), _figure(each))


def _other_points(root: Point, directory: RunDirectory) -> bool:
    """Whether the directory's tables are of other runs: a point may have another name since the user's file changed."""
    runs = [row["run"] for row in directory.read_text_table("points")]
    places = [RunDirectory.of(each.settings).path for each in root.points]
    return runs != [os.path.relpath(path, directory.path.parent) for path in places]


def _failures(root: Point) -> dict[str, str]:
    """{name: why} of the points that are not done."""
    places = {each.name: RunDirectory.of(each.settings) for each in root.points}
    return {name: place.failure.splitlines()[-1] for name, place in places.items() if not place.done}


def _reasons(failed: dict[str, str]) -> list[str]:
    """'NAMES: why' for each reason."""
    reasons: dict[str, list[str]] = {}
    for name, why in failed.items():
        reasons.setdefault(why, []).append(name)
    return [f"{_names(names)}: {why}" for why, names in reasons.items()]


def _names(names: list[str]) -> str:
    return " and ".join(names) if len(names) < 4 else f"{names[0]} and {len(names) - 1} more"
