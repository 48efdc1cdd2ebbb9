"""Launchers: every program of a sweep is a job, one process of `python run.py`, on this machine or on a cluster.

launcher=joblib launcher.n_jobs=4          as many processes at a time
launcher=submitit_local                    processes as submitit's jobs
launcher=submitit_slurm launcher.partition=gpu launcher.timeout_min=60
"""

import itertools
import pathlib
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

from lab.config.compose import compose
from lab.config.imported import ROOT
from lab.config.multirun import LAUNCHER, MULTIRUN
from lab.config.override import axes, parse
from lab.errors import ConfigError

# Keys of submitit for every cluster; other keys belong to Slurm.
COMMON = ("timeout_min", "cpus_per_task", "gpus_per_node", "tasks_per_node", "mem_gb", "nodes", "name")


def run(words: Sequence[str]) -> None:
    """Run all jobs of a launcher's command line (from `lab.config.multirun.commands`), and wait for their end.

    A job that has started reports its errors itself.

    Raises:
        ConfigError: there is no such launcher, or its jobs cannot be started.
    """
    own = [word for word in words if word.startswith(LAUNCHER)]
    overrides = {override.key: override.value for override in map(parse, own)}
    name = str(overrides.pop("launcher"))
    settings = {
        key.removeprefix("launcher."): int(str(value)) if str(value).isdecimal() else value
        for key, value in overrides.items()
    }
    plain = [word for word in words if not word.startswith(LAUNCHER) and word not in MULTIRUN]
    swept = [word for word in plain if parse(word).options]
    fixed = [word for word in plain if word not in swept]
    points = itertools.product(*([f"{key}={value}" for value in values] for key, values in axes(swept).items()))
    jobs = [[sys.executable, str(ROOT / "run.py"), *fixed, *each] for each in points]  # jobs may start in other folders
    try:
        _start(name, settings, jobs, compose(fixed).run.dir)
    except (ImportError, RuntimeError, OSError, TypeError, ValueError, NameError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise ConfigError(
            f"launcher={name}: its jobs did not run ({why}); leave it out to run the points in this process"
        ) from error


class _Processes:
    """The processes that work on jobs, to be stopped together."""

    def __init__(self) -> None:
        self.at_work, self.are_stopped = list[subprocess.Popen](), False

    def run(self, job: list[str]) -> None:
        """Run a job, unless all are stopped."""
        if not self.are_stopped:
            with subprocess.Popen(job) as process:
                self.at_work.append(process)

    def stop(self, number: int) -> None:
        """Hand a signal on to them, and wait for their end. A terminal sends its own signals to all processes."""
        self.are_stopped = True
        if number == signal.SIGTERM:
            for each in self.at_work:
                each.terminate()
            for each in self.at_work:
                each.wait()


def _start(name: str, settings: Mapping, jobs: list[list[str]], folder: str) -> None:
    if name == "joblib":
        import joblib

        if other := [key for key in settings if key != "n_jobs"]:
            raise ConfigError(f"launcher.{other[0]}: no such key of joblib; allowed: launcher.n_jobs")
        parallel = joblib.Parallel(n_jobs=settings.get("n_jobs", -1), backend="threading")
        processes = _Processes()
        try:
            parallel(joblib.delayed(processes.run)(job) for job in jobs)
        except KeyboardInterrupt as stopped:
            processes.stop(getattr(stopped, "number", signal.SIGINT))
            raise
        return
    import submitit

    executor = submitit.AutoExecutor(pathlib.Path(folder) / ".submitit", cluster=name.removeprefix("submitit_"))
    executor.update_parameters(**{key if key in COMMON else f"slurm_{key}": each for key, each in settings.items()})
    for job in executor.map_array(subprocess.run, jobs):
        job.result()
