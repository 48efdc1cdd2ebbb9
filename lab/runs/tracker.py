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
from collections.abc import Callable, Iterator

from lab.config.base import Base
from lab.config.choices import Tracker
from lab.config.identity import config_hash, shown_differences
from lab.errors import ConfigError
from lab.runs import own_files
from lab.runs.directory import RunDirectory
from lab.runs.files import METRICS
from lab.runs.hosts import first, on_first_process
from lab.runs.safe_read import legible

Write = Callable[[dict], None]  # of one line: {"seconds": seconds of the run so far, "members": [one row per seed]}


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


@contextlib.contextmanager
def tensorboard(parent: pathlib.Path, settings: Base, began: float) -> Iterator[Write]:
    """TensorBoard's event files, by tensorboardX: `tensorboard --logdir runs` shows them while a run trains.

    There is one file per seed, in `tensorboard/seed_0/` and so on. The caller's thread writes them: the thread of
    tensorboardX's SummaryWriter would end at a full disk without an error.

    Args:
        parent: the directory in which the tracker makes its folder.
        began: the time at which the run began, in seconds since 1970.
    """
    from tensorboardX.event_file_writer import EventsWriter
    from tensorboardX.proto import event_pb2, summary_pb2

    # Read by name, as these modules make their classes when they are imported: a type checker sees none.
    event, summary = vars(event_pb2)["Event"], vars(summary_pb2)["Summary"]
    files: dict[int, EventsWriter] = {}

    def write(line: dict) -> None:
        for seed, step, values in scalars(line):
            if seed not in files:
                place = parent / "tensorboard" / f"seed_{seed}"
                place.mkdir(parents=True, exist_ok=True)  # a file of the user's may be there
                files[seed] = EventsWriter(str(place / "events"))
            entries = [summary.Value(tag=name, simple_value=value) for name, value in values.items()]
            files[seed].write_event(event(wall_time=began + line["seconds"], step=step, summary=summary(value=entries)))
            files[seed].flush()

    try:
        yield write
    finally:
        for file in files.values():
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


@contextlib.contextmanager
def wandb(parent: pathlib.Path, settings: Base, began: float) -> Iterator[Write]:
    """Weights & Biases, offline: nothing is uploaded unless the user runs `wandb sync DIRECTORY/wandb/offline-run-*`.

    Each seed is a run of W&B, grouped by the lab's run, with the settings that results depend on. Nothing leaves the
    machine, whatever WANDB_MODE says: no account, no console, no code, no git, no hardware. W&B's service reports
    crashes to its makers, and looks up their address for that, unless an environment variable forbids it before it
    starts.
    """
    cache = parent / "wandb" / "cache"  # for logs, which W&B would write into the user's home
    cache.mkdir(parents=True, exist_ok=True)
    os.environ |= {"WANDB_ERROR_REPORTING": "false", "WANDB_CACHE_DIR": str(cache)}
    import wandb  # pyright: ignore[reportMissingImports]

    runs, name = {}, f"{settings.name}-{config_hash(settings)}"

    def write(line: dict) -> None:
        for seed, step, values in scalars(line):
            if seed not in runs:
                runs[seed] = wandb.init(
                    project="icl-gd-lab",
                    group=name,
                    name=f"{name}-seed-{seed}",
                    config=shown_differences(settings) | {"seed": seed},
                    settings=wandb.Settings(root_dir=str(parent), **NOTHING_ELSE),
                )
            runs[seed].log(values, step=step)

    try:
        yield write
    finally:
        for run in runs.values():
            run.finish()


TRACKERS = {Tracker.tensorboard: tensorboard, Tracker.wandb: wandb}
PACKAGES = {Tracker.tensorboard: "tensorboardX", Tracker.wandb: "wandb"}


def require(kind: Tracker) -> None:
    """Check that a tracker can be used.

    Raises:
        ConfigError: the package that writes its files is not installed.
    """
    package = PACKAGES.get(kind)
    if package and importlib.util.find_spec(package) is None:
        raise ConfigError(f"tracker={kind.name}: {package} is not installed; pip install -e '.[{kind.name}]'")


@contextlib.contextmanager
def tracking(settings: Base, directory: RunDirectory, parent: pathlib.Path | None = None) -> Iterator[Write]:
    """Open the run's tracker, and write the lines of metrics.jsonl so far; yield what writes further ones.

    Args:
        parent: the directory in which the tracker makes its folder; None: the run's.
    """
    if settings.tracker is Tracker.none or not first():
        yield lambda line: None
        return
    file = directory.path / METRICS
    with legible(file):
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
        began = time.time() - (lines[-1]["seconds"] if lines else 0.0)
    with TRACKERS[settings.tracker]((parent or directory.path).resolve(), settings, began) as write:
        for line in lines:
            write(line)
        yield write


@on_first_process
def track_finished(settings: Base, directory: RunDirectory) -> None:
    """Write the tracker's folder of a run that is done, if the settings want one and it does not exist."""
    name = settings.tracker.name
    folder = directory.path / name
    if settings.tracker is Tracker.none or own_files.matching(folder, own_files.TRACKERS[name]):
        return
    from lab.runs import console

    console.say(f"writing {folder}")
    with directory.locked(settings):
        unfinished = directory.path / own_files.TRACKER
        own_files.remove(unfinished, own_files.GENERATED[own_files.TRACKER])
        unfinished.mkdir(exist_ok=True)
        with tracking(settings, directory, unfinished):
            pass
        own_files.move(unfinished / name, folder, own_files.TRACKERS[name])
        own_files.remove(unfinished, own_files.GENERATED[own_files.TRACKER])
