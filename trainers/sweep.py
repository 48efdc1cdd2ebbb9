"""One run, or the points of a sweep.

Points that differ in numbers alone train together, as one program; the programs follow one another. Each point has a
directory of its own, the one that it has as a single run, and a point that is DONE is not run again: so an interrupted
sweep goes on where it stopped. The sweep's directory gets the points' tables in one, a figure, its claims and a report.
"""

import traceback

from omegaconf import OmegaConf

from analysis.report import terminal
from analysis.report.present import present
from analysis.tables.gather import PointDirectory, gather
from lab.config.choices import Stage
from lab.config.comparison import Config
from lab.config.differences import differences
from lab.config.identity import config_hash
from lab.config.points import Point, axes, points, programs
from lab.errors import UserError, explain
from lab.runs import console
from lab.runs.devices import find_devices
from lab.runs.directory import RunDirectory
from lab.runs.hosts import common, on_first_process
from lab.runs.trackers.catalogue import track_finished
from trainers import resume
from trainers.experiments.comparison import experiment
from trainers.experiments.comparison.run import Run


def run(config: Config, words: list[str]) -> dict:
    """The summary. `words` are the command line's, from which each point is composed.

    Raises:
        UserError: the device that was asked for is missing, a directory cannot be written, or a run failed.
    """
    directory, command = RunDirectory.of(config), console.command(words)
    if config.parts or config.grid:
        return _sweep(config, points(config, words), directory, command)
    find_devices(config.device)
    if directory.done and not config.run.force:
        console.already_done(directory)
        track_finished(config, directory)
    else:
        one = Run(config, directory, command)
        experiment.run([one])
        if one.failure:
            raise one.failure
    terminal.results(directory)
    return directory.read_summary()


def _sweep(config: Config, of: list[Point], directory: RunDirectory, command: str) -> dict:
    if config.sweep.stage is Stage.all:
        with directory.locked(config):
            return _points(config, of, directory, command)
    return _points(config, of, directory, command)


def _points(config: Config, of: list[Point], directory: RunDirectory, command: str) -> dict:
    stage, together = config.sweep.stage, list(enumerate(programs(of), start=1))
    mine = {Stage.all: slice(None), Stage.train: slice(config.sweep.program, config.sweep.program + 1)}
    if stage in mine:
        find_devices(config.device)
        for number, group in together[mine[stage]]:
            console.say(f"--- {config.name}: program {number} of {len(together)}")
            _program(config, group)
    if stage is Stage.train:
        return {}
    failures, done = _failures(of), [RunDirectory.of(point.config).done for point in of]
    if failures or config.run.force or not directory.done or _others_than(of, directory):
        _gather(config, of, directory, command, whole=not failures)
    if not any(done):
        raise UserError(f"every point failed: {'; '.join(failures)}")
    terminal.results(directory)
    if failures:
        raise UserError(f"{done.count(False)} of {len(of)} points failed, the others are kept: {'; '.join(failures)}")
    return directory.read_summary()


def _others_than(of: list[Point], directory: RunDirectory) -> bool:
    """Whether the directory's tables are of other runs: a point may have another name since the user's file changed."""
    runs = [row["run"] for row in directory.read_text_table("points")]
    return runs != [RunDirectory.of(point.config).path.name for point in of]


@on_first_process
def _gather(config: Config, of: list[Point], directory: RunDirectory, command: str, whole: bool) -> None:
    """The sweep's own files, and DONE if no point is missing."""
    directory.begin(config)
    head = {
        "experiment": config.name,
        "kind": "comparison",
        "config_hash": config_hash(config),
        "command": command,
        "figure": config.figure.name,
    }
    gather(directory, head, _directories(config, of))
    present(directory)
    if whole:
        directory.finish()


def _directories(config: Config, of: list[Point]) -> list[PointDirectory]:
    """The points with their places and the other settings in which any differs from the defaults."""
    plain = [OmegaConf.to_container(OmegaConf.structured(point.config), enum_to_str=True) for point in of]
    fixed = [key for key in axes(config.grid) if key not in of[0].where]
    different = dict.fromkeys(key for settings in plain for key in differences(settings))
    return [
        PointDirectory(
            name=point.name,
            place={key: point.where.get(key) or _text(settings, key) for key in _in_order(config, point)},
            settings={key: _text(settings, key) for key in different if key not in fixed},
            directory=RunDirectory.of(point.config),
            command=console.command(point.words),
        )
        for point, settings in zip(of, plain, strict=True)
    ]


def _in_order(config: Config, point: Point) -> list[str]:
    return [*(["part"] if "part" in point.where else []), *axes(config.grid)]


def _text(settings: dict, key: str) -> str:
    """A setting's value by its dotted key; a group's by its name."""
    value = settings
    for word in key.split("."):
        value = value.get(word) if isinstance(value, dict) else None
    value = value["name"] if isinstance(value, dict) and "name" in value else value
    return "[" + ", ".join(map(str, value)) + "]" if isinstance(value, list) else "" if value is None else str(value)


def _program(config: Config, group: list[Point]) -> None:
    """Run those of a program's points that are not done; say which failed, and stop if that is wanted.

    A launcher's job only leaves word of what failed: who gathers reports it.
    """
    runs, stop = [], config.sweep.fail_fast and config.sweep.stage is Stage.all
    for point in group:
        directory = RunDirectory.of(point.config)
        console.say(point.name)
        if directory.done and not config.run.force:
            console.already_done(directory)
            track_finished(point.config, directory)
        else:
            runs.append(Run(point.config, directory, console.command(point.words)))
    for group in resume.groups(runs):
        _group(group, stop)


def _group(runs: list[Run], stop: bool) -> None:
    try:
        experiment.run(runs)
    except Exception as error:
        if stop or not common(error):
            raise
        line = explain(error)
        for one in runs:
            if not one.directory.done:
                one.directory.fail(line or traceback.format_exc())
        console.say(f"failed: {line or repr(error)}")
    for one in runs:
        if one.failure is not None:
            one.directory.fail(str(one.failure))
            if stop:
                raise one.failure
            console.say(f"failed: {one.failure}")


def _failures(of: list[Point]) -> list[str]:
    """'NAMES: why' for each reason that points are not done for."""
    directories = {point.name: RunDirectory.of(point.config) for point in of}
    reasons: dict[str, list[str]] = {}
    for name, where in directories.items():
        if not where.done:
            reasons.setdefault(where.failure.splitlines()[-1], []).append(name)
    return [f"{_names(names)}: {why}" for why, names in reasons.items()]


def _names(of: list[str]) -> str:
    return " and ".join(of) if len(of) < 4 else f"{of[0]} and {len(of) - 1} more"
