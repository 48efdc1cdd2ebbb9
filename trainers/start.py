"""What the command line asks for: one run, the points of a sweep, a benchmark, or a paper."""

from lab.config.comparison import Config
from lab.errors import ConfigError
from lab.runs import console
from lab.runs.devices import find_devices, meet
from lab.runs.directory import RunDirectory
from trainers import paper, sweep
from trainers.experiments.speed import speed


def run(config: Config, words: list[str]) -> dict:
    """The summary. `words` are the command line's, from which each point is composed.

    Raises:
        UserError: no experiment was chosen, the device that was asked for is missing, a directory cannot be written, or
            a run failed.
    """
    if not config.name:
        raise ConfigError("experiment: none was chosen; give experiment=NAME, `python run.py` alone lists them")
    meet(config)
    if config.paper.experiments:
        return paper.run(config, words)
    if config.benchmark.axes:
        find_devices(config.device)
        return speed.run(config, RunDirectory.of(config), console.command(words))
    return sweep.run(config, words)
