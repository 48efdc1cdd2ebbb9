"""Other people's viewers of training curves. None is imported unless it was asked for, and a run without one is the
same.

A tracker copies the numbers of metrics.jsonl into the format of another viewer, in a folder of its own in the run's
directory, named after its setting. metrics.jsonl is the original: when a run begins or goes on, the folder is made anew
from the first line of that file, so that nothing is in it twice and nothing is missing, wherever the run was killed.
"""

import contextlib
import importlib.util
import json
import math
import os
import pathlib
import time
from collections.abc import Iterator

from lab.config import choices
from lab.config.base import Base
from lab.config.identity import config_hash, shown_differences
from lab.errors import ConfigError
from lab.runs import own_files
from lab.runs.directory import RunDirectory
from lab.runs.files import METRICS
from lab.runs.hosts import first, on_first_process
from lab.runs.safe_read import legible


class Tracker:
    """A writer of one run's numbers; this one writes nothing.

    Args:
        parent: the run's directory, in which a tracker makes its folder.
        seconds: how long the run had taken when the last line of metrics.jsonl was written; 0 where there is none.
    """

    def __init__(self, parent: pathlib.Path, settings: Base, seconds: float):
        self.parent, self.settings, self.began = parent.resolve(), settings, time.time() - seconds

    def write(self, line: dict) -> None:
        """Write one line of metrics.jsonl: {"seconds": seconds of the run so far, "members": [one row per seed]}."""

    def close(self) -> None:
        """Finish the tracker's files."""


def scalars(line: dict) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Yield (seed, step, {name: value}) for each row of a line, without values that are not finite numbers.

    Viewers group names by the part before a slash, so the first point of a name becomes one:

    >>> row = {"step": 4, "seed": 0, "loss.ridge": 0.5, "loss.interpolated": float("nan"), "train_loss.mlp": None}
    >>> list(scalars({"seconds": 1.0, "members": [row]}))
    [(0, 4, {'loss/ridge': 0.5})]
    """
    for row in line["members"]:
        values = {key: value for key, value in row.items() if key not in ("seed", "step") and value is not None}
        finite = {key.replace(".", "/", 1): value for key, value in values.items() if math.isfinite(value)}
        yield row["seed"], row["step"], finite


class TensorBoard(Tracker):
    """TensorBoard's event files, by tensorboardX: `tensorboard --logdir runs` shows them while a run trains.

    There is one file per seed, in `tensorboard/seed_0/` and so on. The caller's thread writes them: the thread of
    tensorboardX's SummaryWriter would end at a full disk without an error.
    """

    def __init__(self, parent: pathlib.Path, settings: Base, seconds: float):
        super().__init__(parent, settings, seconds)
        self.files = {}

    def write(self, line: dict) -> None:
        from tensorboardX.proto import event_pb2, summary_pb2

        # Read by name, as these modules make their classes when they are imported: a type checker sees none.
        event, summary = vars(event_pb2)["Event"], vars(summary_pb2)["Summary"]
        for seed, step, values in scalars(line):
            entries = [summary.Value(tag=name, simple_value=value) for name, value in values.items()]
            file = self._file(seed)
            wall_time = self.began + line["seconds"]
            file.write_event(event(wall_time=wall_time, step=step, summary=summary(value=entries)))
            file.flush()

    def _file(self, seed: int):
        from tensorboardX.event_file_writer import EventsWriter

        if seed not in self.files:
            place = self.parent / "tensorboard" / f"seed_{seed}"
            place.mkdir(parents=True, exist_ok=True)  # a file of the user's may be there
            self.files[seed] = EventsWriter(str(place / "events"))
        return self.files[seed]

    def close(self) -> None:
        for file in self.files.values():
            file.close()


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
    """Weights & Biases, offline: nothing is uploaded unless the user runs `wandb sync DIRECTORY/wandb/offline-run-*`.

    Each seed is a run of W&B, grouped by the lab's run, with the settings that results depend on. Nothing leaves the
    machine, whatever WANDB_MODE says: no account, no console, no code, no git, no hardware. W&B's service reports
    crashes to its makers, and looks up their address for that, unless an environment variable forbids it before it
    starts.
    """

    def __init__(self, parent: pathlib.Path, settings: Base, seconds: float):
        super().__init__(parent, settings, seconds)
        self.runs = {}

    def write(self, line: dict) -> None:
        for seed, step, values in scalars(line):
            self._run(seed).log(values, step=step)

    def _run(self, seed: int):
        if seed not in self.runs:
            cache = self.parent / "wandb" / "cache"  # for logs, which W&B would write into the user's home
            cache.mkdir(parents=True, exist_ok=True)
            os.environ |= {"WANDB_ERROR_REPORTING": "false", "WANDB_CACHE_DIR": str(cache)}
            import wandb  # pyright: ignore[reportMissingImports]

            name = f"{self.settings.name}-{config_hash(self.settings)}"
            self.runs[seed] = wandb.init(
                project="icl-gd-lab",
                group=name,
                name=f"{name}-seed-{seed}",
                config=shown_differences(self.settings) | {"seed": seed},
                settings=wandb.Settings(root_dir=str(self.parent), **NOTHING_ELSE),
            )
        return self.runs[seed]

    def close(self) -> None:
        for run in self.runs.values():
            run.finish()


TRACKERS: dict[choices.Tracker, type[Tracker]] = {
    choices.Tracker.none: Tracker,
    choices.Tracker.tensorboard: TensorBoard,
    choices.Tracker.wandb: Wandb,
}
PACKAGES = {choices.Tracker.tensorboard: "tensorboardX", choices.Tracker.wandb: "wandb"}


def require(kind: choices.Tracker) -> None:
    """Check that a tracker can be used.

    Raises:
        ConfigError: the package that writes its files is not installed.
    """
    package = PACKAGES.get(kind)
    if package and importlib.util.find_spec(package) is None:
        raise ConfigError(f"tracker={kind.name}: {package} is not installed; pip install -e '.[{kind.name}]'")


@contextlib.contextmanager
def tracking(settings: Base, directory: RunDirectory) -> Iterator[Tracker]:
    """Open the run's tracker, and write the lines of metrics.jsonl so far; `directory.begin` has removed older
    folders."""
    with contextlib.closing(_open(settings, directory)) as tracker:
        yield tracker


@on_first_process
def track_finished(settings: Base, directory: RunDirectory) -> None:
    """Write the tracker's folder of a run that is done, if the settings want one and it does not exist."""
    name = settings.tracker.name
    folder = directory.path / name
    if settings.tracker is choices.Tracker.none or own_files.matching(folder, own_files.TRACKERS[name]):
        return
    from lab.runs import console

    console.say(f"writing {folder}")
    with directory.locked(settings):
        unfinished = directory.path / own_files.TRACKER
        own_files.remove(unfinished, own_files.GENERATED[own_files.TRACKER])
        unfinished.mkdir(exist_ok=True)
        _open(settings, directory, unfinished).close()
        own_files.move(unfinished / name, folder, own_files.TRACKERS[name])
        own_files.remove(unfinished, own_files.GENERATED[own_files.TRACKER])


def _open(settings: Base, directory: RunDirectory, parent: pathlib.Path | None = None) -> Tracker:
    file = directory.path / METRICS
    with legible(file):
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
        seconds = lines[-1]["seconds"] if lines else 0.0
    kind = TRACKERS[settings.tracker] if first() else Tracker
    tracker = kind(parent or directory.path, settings, seconds)
    for line in lines:
        tracker.write(line)
    return tracker
