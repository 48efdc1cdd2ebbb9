"""A whole benchmark: the ceilings, then a point after the other, and the tables, the figure and the report of them."""

import dataclasses
import os
import time

import jax
import numpy as np

from analysis.report.present import present
from lab.config.comparison import Config
from lab.config.identity import config_hash
from lab.runs import console, interrupt
from lab.runs.devices import enough_memory
from lab.runs.directory import RunDirectory
from trainers.experiments.speed import ceilings
from trainers.experiments.speed.console import results
from trainers.experiments.speed.measure import SCORES, Ceilings, measure
from trainers.experiments.speed.points import points

LONG = 100  # examples, from which on the slope against the context is taken


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
    summary = directory.read_summary()
    results(directory, summary)
    return summary


def _measure(config: Config, directory: RunDirectory, command: str) -> None:
    begun, wanted, of, found = time.perf_counter(), config.benchmark, points(config), {}
    console.say(f"{config.name}: {len(of)} points, {wanted.rounds} rounds of {wanted.seconds:g} s")
    console.say(f"writing to {directory.path}")
    with console.busy("ceilings"):
        highest = Ceilings(
            ceilings.flops_per_second(wanted.seconds, wanted.rounds),
            ceilings.bytes_per_second(wanted.seconds, wanted.rounds),
        )
    rows = []
    for number, point in enumerate(of, start=1):
        interrupt.check()
        key = config_hash(point.config)
        if key not in found:  # the centre is a point of several axes, and measured once
            with console.busy(f"{point.name}, {number} of {len(of)}"):
                advice = f"{point.name}: not enough memory; leave it out or lower benchmark.examples"
                with enough_memory(advice):
                    found[key] = measure(point.config, highest)
        rows.append({"axis": point.axis, "value": point.value} | found[key])
    directory.write_table("benchmark", rows)
    directory.write_summary(
        {
            "experiment": config.name,
            "config_hash": config_hash(config),
            "command": command,
            "device": _device(),
            "ceilings": dataclasses.asdict(highest),
            "context_slope": context_slope(rows),
            "seconds": {
                "compile": sum(row["compile_seconds"] for row in found.values()),
                "total": time.perf_counter() - begun,
            },
            "notes": _notes(rows),
            "figure": config.figure.name,
        }
    )
    present(directory)
    directory.finish()


def _device() -> str:
    kind = jax.local_devices()[0].device_kind
    return f"{os.cpu_count()} CPU cores" if kind == "cpu" else kind


def context_slope(rows: list[dict]) -> float | None:
    """The power of the context's length with which the seconds of an episode grow beyond LONG examples: least squares
    of logarithms. Per episode, since long contexts come in smaller batches. None of fewer than two lengths."""
    long = [row for row in rows if row["axis"] == "num_context" and row["context"] >= LONG]
    if len({row["context"] for row in long}) < 2:
        return None
    context, rate = (np.log([row[key] for row in long]) for key in ("context", "episodes_per_second"))
    return float(np.polyfit(context, -rate, 1)[0])


def _notes(rows: list[dict]) -> list[str]:
    left_out = [f"{row['axis']}={row['value']}" for row in rows if row["speed_up"] is None]
    if not left_out:
        return []
    why = f"it forms all scores, and is measured up to {SCORES:,} of them at a time"
    return [f"no plain forward pass to compare with at {', '.join(left_out)}: {why}"]
