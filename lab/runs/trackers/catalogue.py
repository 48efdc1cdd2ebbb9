"""All trackers by name, and the functions that open one for a run."""

import contextlib
import importlib.util
import json
import pathlib
from collections.abc import Iterator

from lab.config import choices
from lab.config.base import Base
from lab.errors import ConfigError
from lab.runs import own_files
from lab.runs.directory import RunDirectory
from lab.runs.files import METRICS
from lab.runs.hosts import first, on_first_process
from lab.runs.legible import legible
from lab.runs.trackers.tensorboard import TensorBoard
from lab.runs.trackers.tracker import NoTracker, Tracker
from lab.runs.trackers.wandb import Wandb

TRACKERS: dict[choices.Tracker, type[Tracker]] = {
    choices.Tracker.none: NoTracker,
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
    kind = TRACKERS[settings.tracker] if first() else NoTracker
    tracker = kind(parent or directory.path, settings, seconds)
    for line in lines:
        tracker.write(line)
    return tracker
