"""TensorBoard's form of a run's curves, by an extra package. It is not imported unless it was asked for, and a run
without it is the same.

A tracker copies the numbers of metrics.jsonl into a folder of its own in the run's directory. metrics.jsonl is the
original: when a run begins or goes on, the folder is made anew from the first line of that file, so that nothing is in
it twice and nothing is missing, wherever the run was killed.
"""

import contextlib
import importlib.util
import json
import math
import pathlib
import tempfile
import time
from collections.abc import Iterator

from lab.config import choices
from lab.config.base import Base
from lab.errors import ConfigError
from lab.runs.directory import RunDirectory
from lab.runs.files import METRICS
from lab.runs.safe_read import legible


class NoTracker:
    """The tracker that writes nothing."""

    def write(self, line: dict) -> None:
        """Write one line of metrics.jsonl: {"seconds": seconds of the run so far, "members": [one row per seed]}."""

    def close(self) -> None:
        """Close all files."""


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


class TensorBoard(NoTracker):
    """TensorBoard's event files, by tensorboardX: `tensorboard --logdir runs` shows them while a run trains.

    There is one file per seed, in `tensorboard/seed_0/` and so on. The caller's thread writes them: the thread of
    tensorboardX's SummaryWriter would end at a full disk without an error.

    Args:
        parent: the run's directory, in which the folder is made.
        seconds: how long the run had taken when the last line of metrics.jsonl was written; 0 if there is none.
    """

    def __init__(self, parent: pathlib.Path, seconds: float):
        self.folder, self.began, self.files = parent / "tensorboard", time.time() - seconds, {}

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
            place = self.folder / f"seed_{seed}"
            place.mkdir(parents=True, exist_ok=True)  # a file of the user's may be there
            self.files[seed] = EventsWriter(str(place / "events"))
        return self.files[seed]

    def close(self) -> None:
        for file in self.files.values():
            file.close()


def require(kind: choices.Tracker) -> None:
    """Check that a tracker can be used.

    Raises:
        ConfigError: the package that writes its files is not installed.
    """
    if kind is choices.Tracker.tensorboard and importlib.util.find_spec("tensorboardX") is None:
        raise ConfigError("tracker=tensorboard: tensorboardX is not installed; pip install -e '.[tensorboard]'")


@contextlib.contextmanager
def tracking(settings: Base, directory: RunDirectory) -> Iterator[NoTracker]:
    """Open the run's tracker, and write the lines of metrics.jsonl so far; `directory.begin` has removed older
    folders."""
    with contextlib.closing(_open(settings, directory)) as tracker:
        yield tracker


def track_finished(settings: Base, directory: RunDirectory) -> None:
    """Write the tracker's folder of a run that is done, if the settings want one and it does not exist."""
    name = settings.tracker.name
    folder = directory.path / name
    if settings.tracker is choices.Tracker.none or folder.exists():
        return
    from lab.runs import console

    console.say(f"writing {folder}")
    with directory.locked(settings), tempfile.TemporaryDirectory(dir=directory.path) as unfinished:
        _open(settings, directory, pathlib.Path(unfinished)).close()
        (pathlib.Path(unfinished) / name).rename(folder)


def _open(settings: Base, directory: RunDirectory, parent: pathlib.Path | None = None) -> NoTracker:
    file = directory.path / METRICS
    with legible(file):
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
        seconds = lines[-1]["seconds"] if lines else 0.0
    is_on = settings.tracker is choices.Tracker.tensorboard
    tracker = TensorBoard(parent or directory.path, seconds) if is_on else NoTracker()
    for line in lines:
        tracker.write(line)
    return tracker
