"""One run while it is made: its settings, what it writes, and what it keeps for itself and for others.

The directory is made at the first thing that is written. Of several processes that train together the first alone reads
and writes files; what it finds holds for all (`lab.runs.hosts`).
"""

import contextlib
import functools
import pathlib
import time
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

import numpy as np

from analysis.tables.columns import Curves
from lab.config.base import Base
from lab.config.compose import compose_run, input_words
from lab.config.identity import config_hash, shown_differences, training_hash
from lab.config.kinds import kind_of
from lab.errors import UserError
from lab.learners.learner import Learner
from lab.runs import console, provenance, validity
from lab.runs.directory import RunDirectory
from lab.runs.hosts import on_first_process
from lab.runs.trackers.catalogue import tracking
from lab.runs.trackers.tracker import NoTracker, Tracker
from trainers import learner_store
from trainers.checkpoint import Checkpoints
from trainers.part_store import Partial

S = TypeVar("S", bound=Base)  # the settings of the run's kind


class Record(Generic[S]):
    """`failure` is why the run cannot be finished, if that is so: it takes no further part."""

    def __init__(self, settings: S, command: str):
        self.settings: S = settings
        self.command = command
        self.place = RunDirectory.of(settings)
        self.directory = self.place.unfinished  # until it is done
        self.failure: UserError | None = None
        self.trained_by: pathlib.Path | None = None  # the directory of another run, whose training this one takes
        self.curves: list[dict] = []  # all rows so far, as checkpoints keep them
        self.notes: list[str] = []
        self.stopped: dict[str, dict] = {}  # {training: at which step it stopped before its last one, and why}
        self.metrics_bytes = 0  # of metrics.jsonl, when `curves` was what it is
        self.makers: provenance.Makers = {}  # of the saved state that it went on from
        self._metrics_sum: str | None = None  # of as many bytes, where a saved state has it
        self._begun, self._started = False, time.perf_counter()
        self._tables: list[str] = []
        self._numbers: dict[str, float | None] = {}
        self._entries: dict = {}
        self._tracker: Tracker = NoTracker(self.directory.path, settings, 0.0)  # until the run begins
        self._open = contextlib.ExitStack()

    # what is written

    def table(self, name: str, rows: list[dict]) -> None:
        """`name`.csv, one dictionary per row. A table that was written before is replaced."""
        self.begin()
        self.directory.write_table(name, rows)
        if name not in self._tables:
            self._tables.append(name)

    def arrays(self, name: str, arrays: dict[str, np.ndarray]) -> None:
        """`name`.npz."""
        self.begin()
        self.directory.write_arrays(name, arrays)

    def curve(self, rows: list[dict], seconds: float | None = None) -> None:
        """One evaluation, with one row per member (each has `step` and `seed`): a line of metrics.jsonl, on disk when
        this returns, and of a tracker. `seconds`: of the run so far; measured where it is not given."""
        self.begin()
        self.curves += rows
        line = {"seconds": self.total_seconds if seconds is None else seconds, "members": rows}
        self.directory.append_metrics(line)
        self.metrics_bytes = self.directory.metrics_bytes
        on_first_process(self._tracker.write)(line)

    def note(self, line: str) -> None:
        """Add a remark that a reader of the results should know."""
        self.notes.append(line)

    def numbers(self, values: Mapping[str, float | None]) -> None:
        """Headline numbers: columns of a sweep's points.csv, what its figure can show."""
        self._numbers |= values

    def entries(self, **entries) -> None:
        """Further entries of summary.json, the kind's own (as JSON)."""
        self._entries |= entries

    @property
    def total_seconds(self) -> float:
        """Since the record was made."""
        return time.perf_counter() - self._started

    # checkpoints

    @property
    def checkpoints(self) -> Checkpoints:
        """Its own; those of a finished run stay there, so that another with the same training can start from them."""
        return Checkpoints(self.directory.path / "checkpoints", training_hash(self.settings))

    @functools.cached_property
    def partial(self) -> Partial:
        """The finished parts of the run, while it is not done; those of other settings or other code are not used."""
        return Partial(self.directory.path / "partial", provenance.digest(self.settings))

    @property
    def steps(self) -> set[int]:
        """The steps of the saved states that it can go on from."""
        if self.settings.run.force:
            return set()
        own = set() if self.distrusted else self.checkpoints.steps
        return own or (self._earlier.steps if self._earlier else set())

    @functools.cached_property
    def distrusted(self) -> bool:
        """True if the saved states that are there are of a training with other settings; the terminal shows which."""
        if self.settings.run.force or not self.checkpoints.steps:
            return False
        why = validity.why_other(self.directory, self.settings, training=True)
        if why and not self.directory.has_summary:  # of a finished run it has been said that it is run again
            console.say(f"{self.directory.path}: begun anew, as {why}")
        return bool(why)

    def save(self, step: int, state, extra: dict) -> None:
        """A checkpoint: a tree of arrays, and what else `restored` shall give back (as JSON)."""
        size = self.metrics_bytes
        record = {"curves": self.curves, "metrics_bytes": size, "notes": self.notes, "extra": extra}
        record |= {"metrics_sha256": self.directory.metrics_sum(size)}
        record |= {"made_by": self.makers | provenance.today(self.settings)}
        self.checkpoints.save(step, state, record)

    def restored(self, step: int, like) -> tuple[object, dict] | None:
        """The tree of that step, with the structure, shapes and types of `like`, and the extra; None if it is damaged.

        The state may be that of another finished run with the same training.

        Raises:
            UserError: it is whole, but of something else.
        """
        own = step in self.checkpoints.steps
        source = self.checkpoints if own else self._earlier
        assert source is not None  # the step is one of `steps`
        saved = source.restore(step, like)
        if saved is None:
            return None
        state, record = saved
        self.curves, self.notes, self.metrics_bytes = record["curves"], record["notes"], record["metrics_bytes"]
        self._metrics_sum = record.get("metrics_sha256")  # states of before have none
        if not own:
            self.trained_by = source.path.parent
            name = "/".join(self.trained_by.parts[-2:])
            self.note(f"the training is that of {name}, as the settings differ only in what is used after it")
            self._take_metrics(self.trained_by)
        self.makers = record.get("made_by") or provenance.makers_in(source.path.parent)  # older states do not say it
        return state, record["extra"]

    @on_first_process
    def _take_metrics(self, place: pathlib.Path) -> None:
        self.directory.path.mkdir(parents=True, exist_ok=True)
        if (place / "metrics.jsonl").is_file():
            self.directory.write_text("metrics.jsonl", (place / "metrics.jsonl").read_text("utf-8", "replace"))

    @functools.cached_property
    def _earlier(self) -> Checkpoints | None:
        """The kept states of a finished run with the same training."""
        if self.settings.run.force or (place := learner_store.earlier(self.settings)) in (None, self.place.path):
            return None
        if why := validity.why_other(RunDirectory(place), self.settings, training=True):
            console.say(f"{self.place.path}: trained anew, not taken from {place}, as {why}")
            return None
        return Checkpoints(place / "checkpoints", training_hash(self.settings))

    # learners

    def learner(self, name: str, learner: Learner) -> None:
        """Keep a trained learner with the run. Seeds may have an axis in front; `trained` takes one of them."""
        self.begin()
        learner_store.write(self.directory, name, learner)

    def trained(self, words: list[str], member: int = 0) -> dict[str, Learner]:
        """{name: learner} of what another run has kept. `Base.inputs` names its words, so that it is run first.

        Args:
            words: the command line of that run.
            member: which of the run's seeds.

        Raises:
            UserError: the run is not there, or what it kept has another structure, is damaged or is no learner.
        """
        settings = compose_run(input_words(words, self.settings))
        directory, structures = (
            RunDirectory.of(settings),
            None if settings.has_points else learner_store.structures(settings),
        )
        if structures is None:
            what = "a sweep" if settings.has_points else f"a run of the kind {kind_of(settings)}"
            raise UserError(f"{directory.path}: {what} keeps no learners that others can start from")
        if not directory.done:
            raise UserError(f"{directory.path}: the run is not finished; the settings' inputs() must name its words")
        return {name: learner_store.read(directory, name, structure, member) for name, structure in structures.items()}

    # its life

    def begin(self) -> None:
        """Make the directory, or empty it of what an earlier attempt left; nothing the second time."""
        if self._begun:
            return
        self._begun = True
        metrics_sum = self.directory.metrics_sum(self.metrics_bytes)
        if metrics_sum is None or self._metrics_sum not in (None, metrics_sum):
            self._make_metrics()
        self.directory.begin(self.settings, self.metrics_bytes, self.makers)
        self._tracker = self._open.enter_context(tracking(self.settings, self.directory))

    @on_first_process
    def _make_metrics(self) -> None:
        """metrics.jsonl from the checkpoint's rows, where it is gone, or not as it was."""
        self.note("metrics.jsonl was damaged and was made again from a checkpoint, without seconds")
        steps = dict.fromkeys(row[Curves.STEP] for row in self.curves)
        self.directory.path.mkdir(parents=True, exist_ok=True)
        self.directory.write_text("metrics.jsonl", "")
        for step in steps:
            rows = [row for row in self.curves if row[Curves.STEP] == step]
            self.directory.append_metrics({"seconds": 0.0, "members": rows})
        self.metrics_bytes = self.directory.metrics_bytes

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Nobody else works in the directory meanwhile."""
        with self.place.locked(self.settings), self._open:
            if self.distrusted:
                self.checkpoints.clear()
            yield

    def take_place(self) -> None:
        """It is DONE, and gets its name."""
        self._open.close()
        self.place.take_place()
        self.directory = self.place

    @on_first_process
    def finish(self) -> None:
        """The summary. What a reader sees of it (`analysis.report.present`) and DONE come after it."""
        self.begin()  # where the experiment has written nothing
        if other := validity.other_makers(self.makers, self.settings):
            self.note(f"the training was {other}")
        self.directory.write_summary(
            {
                "experiment": self.settings.name,
                "kind": kind_of(self.settings),
                "config_hash": config_hash(self.settings),
                "command": self.command,
                "figure": self.settings.figure or self.settings.FIGURE,
                "settings": shown_differences(self.settings),
                "numbers": self._numbers,
                "tables": self._tables,
                "notes": self.notes,
                "seconds": {"total": self.total_seconds},
            }
            | ({"stopped": self.stopped} if self.stopped else {})
            | self._entries
        )
