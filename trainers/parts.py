"""What the command line runs: one experiment, or one of several parts.

A part is the same configuration with a few overrides more, run in a directory of its own below the whole's; a part that
is done is not run again. The whole gets the parts' tables in one, a figure and a report.
"""

import hydra

from analysis.figures import draw
from analysis.report import write_report
from lab import config as configuration
from lab import console
from lab.config import Config
from lab.devices import find_devices
from lab.errors import ConfigError
from lab.run_directory import RunDirectory, config_hash
from trainers import experiment


def run(config: Config, overrides: list[str]) -> dict:
    """The summary. `overrides` are the command line's words, from which each part is composed.

    Raises:
        UserError: no experiment was chosen, or any that `experiment.run` raises.
    """
    if not config.name:
        raise ConfigError("experiment: none was chosen; give experiment=NAME, `python run.py` alone lists them")
    directory, command = RunDirectory.of(config), console.command(overrides)
    if not config.parts:
        return experiment.run(config, directory, command)
    if any(word.startswith("task=") for word in overrides):
        raise ConfigError(f"task: experiment={config.name} has parts, {', '.join(config.parts)}, that choose theirs")
    parts = {name: _part(changes, overrides) for name, changes in config.parts.items()}
    find_devices(config.device.require)
    fresh = config.run.force or not directory.done
    if fresh:
        directory.begin(config)
    for name, part in parts.items():
        console.say(f"--- {config.name}: {name}")
        experiment.run(part, directory.part(name), command)
    if fresh:
        _gather(config, directory, command)
        draw(config.figure, directory)
        write_report(directory)
        directory.finish()
    summary = directory.read_summary()
    console.paths(directory, summary)
    return summary


def _part(changes: list[str], overrides: list[str]) -> Config:
    """The configuration of a part: its own differences, over which the command line's words win."""
    words = [word for word in overrides if not word.startswith("parts")]
    return configuration.check(hydra.compose("config", [*changes, "~parts", "figure=training", *words]))


def _gather(config: Config, directory: RunDirectory, command: str) -> None:
    """The parts' tables with a column `part` in front, and their summaries in one."""
    parts = directory.parts()
    for table in ("curves", "learners", "alignment", "layers"):
        having = {name: part for name, part in parts.items() if (part.path / f"{table}.csv").exists()}
        if having:
            rows = [{"part": name} | row for name, part in having.items() for row in part.read_table(table)]
            directory.write_table(table, rows)
    summaries = {name: part.read_summary() for name, part in parts.items()}
    watches = [summary["seconds"] for summary in summaries.values()]
    directory.write_summary(
        {
            "experiment": config.name,
            "config_hash": config_hash(config),
            "command": command,
            "seconds": {key: sum(watch[key] for watch in watches) for key in watches[0]},
            "parts": summaries,
        }
    )
