"""Weights & Biases, offline: nothing is uploaded unless the user runs `wandb sync DIRECTORY/wandb/offline-run-*`.

Each seed is a run of W&B, grouped by the lab's run, with the settings that results depend on. Nothing leaves the
machine, whatever WANDB_MODE says: no account, no console, no code, no git, no hardware. W&B's service reports crashes
to its makers, and looks up their address for that, unless an environment variable forbids it before it starts.
"""

import os
import pathlib

from lab.config.base import Base
from lab.config.identity import config_hash, shown_differences
from lab.runs.trackers.tracker import Tracker, scalars

NOTHING_ELSE = {
    "mode": "offline",
    "console": "off",
    "silent": True,
    "symlink": False,
    "disable_git": True,
    "disable_code": True,
    "save_code": False,
    "x_disable_meta": True,
    "x_disable_stats": True,
    "x_disable_machine_info": True,
    "x_disable_viewer": True,
    "x_save_requirements": False,
    "reinit": "create_new",  # the seeds' runs are open together
}


class Wandb(Tracker):
    def __init__(self, parent: pathlib.Path, settings: Base, seconds: float):
        self.parent, self.settings, self.runs = parent.resolve(), settings, {}

    def write(self, line: dict) -> None:
        for seed, step, values in scalars(line):
            self._run(seed).log(values, step=step)

    def _run(self, seed: int):
        if seed not in self.runs:
            cache = self.parent / "wandb" / "cache"  # for logs, which W&B would write into the user's home
            cache.mkdir(parents=True, exist_ok=True)
            os.environ |= {"WANDB_ERROR_REPORTING": "false", "WANDB_CACHE_DIR": str(cache)}
            import wandb

            library = vars(wandb)  # where it is not installed, a type checker takes this file for it
            name = f"{self.settings.name}-{config_hash(self.settings)}"
            self.runs[seed] = library["init"](
                project="icl-gd-lab",
                group=name,
                name=f"{name}-seed-{seed}",
                config=shown_differences(self.settings) | {"seed": seed},
                settings=library["Settings"](root_dir=str(self.parent), **NOTHING_ELSE),
            )
        return self.runs[seed]

    def close(self) -> None:
        for run in self.runs.values():
            run.finish()
