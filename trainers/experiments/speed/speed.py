"""The speed of training at several points: the ceilings, then one point after the other, their tables and report."""

import dataclasses
import os
import time

import jax

from analysis.report import terminal
from analysis.report.present import present
from analysis.tables.gather import PointDirectory, gather
from lab.config.comparison import Benchmark, Config
from lab.config.identity import config_hash
from lab.runs import console, interrupt
from lab.runs.devices import enough_memory
from lab.runs.directory import RunDirectory
from trainers.experiments.speed import ceilings
from trainers.experiments.speed.measure import SCORES, Ceilings, measure
from trainers.experiments.speed.points import Point, points

KIND = "speed"


def run(config: Config, directory: RunDirectory, command: str) -> dict:
    """The summary; measured unless it is there.

    Raises:
        UserError: the directory cannot be written or is in use, or the device has too little memory.
    """
    if directory.done and not config.run.force:
        console.already_done(directory)
    else:
        with directory.locked(config):
            directory.begin(config)
            _measure(config, directory, command)
    terminal.results(directory)
    return directory.read_summary()


def _measure(config: Config, directory: RunDirectory, command: str) -> None:
    wanted = config.benchmark
    by_hash: dict[str, Point] = {}
    for point in points(config):
        alone = dataclasses.replace(point, config=_alone(point.config))
        by_hash.setdefault(config_hash(alone.config), alone)  # the centre is a point of several axes, measured once
    distinct = list(by_hash.values())
    console.say(f"{config.name}: {len(distinct)} points, {wanted.rounds} rounds of {wanted.seconds:g} s")
    console.say(f"writing to {directory.path}")
    with console.busy("ceilings"):
        highest = Ceilings(
            ceilings.flops_per_second(wanted.seconds, wanted.rounds),
            ceilings.bytes_per_second(wanted.seconds, wanted.rounds),
        )
    for number, point in enumerate(distinct, start=1):
        interrupt.check()
        with console.busy(f"{point.name}, {number} of {len(distinct)}"):
            _measure_point(point, highest, command)
    head = {
        "experiment": config.name,
        "kind": KIND,
        "config_hash": config_hash(config),
        "command": command,
        "figure": KIND,
    }
    gather(
        directory,
        head,
        [PointDirectory(point.name, {"part": point.name}, {}, RunDirectory.of(point.config)) for point in distinct],
    )
    present(directory)
    directory.finish()


def _alone(config: Config) -> Config:
    """The configuration without axes, whose directory is another than the sweep's."""
    kept = {name: getattr(config.benchmark, name) for name in ("examples", "seconds", "rounds")}
    return dataclasses.replace(config, benchmark=Benchmark(**kept))


def _measure_point(point: Point, highest: Ceilings, command: str) -> None:
    begun, directory = time.perf_counter(), RunDirectory.of(point.config)
    with enough_memory(f"{point.name}: not enough memory; leave it out or lower benchmark.examples"):
        row = measure(point.config, highest)
    with directory.locked(point.config):
        directory.begin(point.config)
        directory.write_table(KIND, [row])
        directory.write_summary(
            {
                "experiment": point.config.name,
                "kind": KIND,
                "config_hash": config_hash(point.config),
                "command": command,
                "figure": "",
                "numbers": {name: value for name, value in row.items() if not isinstance(value, str)},
                "tables": [KIND],
                "claims": [],
                "notes": _notes(point, row),
                "seconds": {"compile": row["compile_seconds"], "total": time.perf_counter() - begun},
                "device": _device(),
                "ceilings": dataclasses.asdict(highest),
            }
        )
        present(directory)
        directory.finish()


def _device() -> str:
    kind = jax.local_devices()[0].device_kind
    return f"{os.cpu_count()} CPU cores" if kind == "cpu" else kind


def _notes(point: Point, row: dict) -> list[str]:
    if row["speed_up"] is not None:
        return []
    why = f"it is written for one head without documents or a clip, and measured up to {SCORES:,} scores at a time"
    return [f"no plain forward pass to compare with at {point.name}: {why}"]
