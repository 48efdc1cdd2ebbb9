"""One run while it is made: its settings, its results, its checkpoints, and its learners for other runs.

The directory is made at the first output. Of several processes that train together only the first reads
and writes files, and shares them with all (`lab.runs.hosts`).
"""

import contextlib
import functools
import pathlib
import time
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

import numpy as np

from lab.config.base import Base
from lab.config.compose import compose_run, input_words
from lab.config.identity import config_hash, shown_differences, training_hash
from lab.config.kinds import figure_of, kind_of
from lab.errors import UserError
from lab.learners.learner import Learner
from lab.runs import console, provenance, validity
from lab.runs.directory import RunDirectory
from lab.runs.hosts import on_first_process
from lab.runs.tracker import Write, tracking
from trainers import learner_store
from trainers.store import Checkpoints, Partial

S = TypeVar("S", bound=Base)  # the settings of the run's kind


class Record(Generic[S]):
    """A run while it is made. A run with a `failure` cannot be finished, and takes no further part."""

    def __init__(self, settings: S, command: str):
        self.settings: S = settings
        self.command = command
        self.place = RunDirectory.of(settings)
        self.directory = self.place.unfinished  # until it is done
        self.failure: UserError | None = None
        self.trained_by: pathlib.Path | None = None  # the directory of a run whose training is used again
        self.lines: list[dict] = []  # metrics.jsonl so far: its lines are in every checkpoint
        self.curves: list[dict] = []  # the rows of `lines`, but no row of a seed that diverged
        self.notes: list[str] = []
        self.stopped: dict[str, dict] = {}  # {training: the step of an early stop, and its reason}
        self.makers: provenance.Makers = {}  # provenance of the checkpoint that it went on from
        self._begun, self._started = False, time.perf_counter()
        self._tables: list[str] = []
        self._numbers: dict[str, float | None] = {}
        self._entries: dict = {}
        self._track: Write = lambda line: None  # until the run begins
        self._open = contextlib.ExitStack()

    # results

    def table(self, name: str, rows: list[dict]) -> None:
        """Write `name`.csv, one dictionary per row. A table of this name is replaced."""
        self.begin()
        self.directory.write_table(name, rows)
        if name not in self._tables:
            self._tables.append(name)

    def arrays(self, name: str, arrays: dict[str, np.ndarray]) -> None:
        """Write `name`.npz."""
        self.begin()
        self.directory.write_arrays(name, arrays)

    def curve(self, rows: list[dict], seconds: float | None = None) -> None:
        """Write one evaluation, with one row per member (each has `step` and `seed`): a line of metrics.jsonl, on disk
        when this returns, and of a tracker. `seconds`: the seconds of the run so far; None: measured here.
        """
        self.begin()
        self.curves += rows
        line = {"seconds": self.total_seconds if seconds is None else seconds, "members": rows}
        self.lines.append(line)
        self.directory.append_metrics(line)
        on_first_process(self._track)(line)

    def note(self, line: str) -> None:
        """Add a remark that a reader of the results should know."""
        self.notes.append(line)

    def numbers(self, values: Mapping[str, float | None]) -> None:
        """Add headline numbers: columns of a sweep's points.csv, which its figure can show."""
        self._numbers |= values

    def entries(self, **entries) -> None:
        """Add the kind's own entries to summary.json."""
        self._entries |= entries

    @property
    def total_seconds(self) -> float:
        """The seconds since the record was made."""
        return time.perf_counter() - self._started

    # checkpoints

    @property
    def checkpoints(self) -> Checkpoints:
        """The run's checkpoints. The last ones of a finished run stay, for other runs with the same training."""
        return Checkpoints(self.directory.path / "checkpoints", training_hash(self.settings))

    @functools.cached_property
    def partial(self) -> Partial:
        """The finished parts of the unfinished run. Parts made by other settings or other code are not used."""
        return Partial(self.directory.path / "partial", provenance.digest(self.settings))

    @property
    def steps(self) -> set[int]:
        """The steps of the checkpoints that the run can go on from."""
        if self.settings.run.force:
            return set()
        own = set() if self.distrusted else self.checkpoints.steps
        return own or (self._earlier.steps if self._earlier else set())

    @functools.cached_property
    def distrusted(self) -> bool:
        """True if the checkpoints belong to a training with other settings, which the terminal shows."""
        if self.settings.run.force or not self.checkpoints.steps:
            return False
        why = validity.why_other(self.directory, self.settings, training=True)
        if why and not self.directory.has_summary:  # for a finished run the terminal has shown it already
            console.say(f"{self.directory.path}: begun anew, as {why}")
        return bool(why)

    def save(self, step: int, state, extra: dict) -> None:
        """Write a checkpoint: a tree of arrays, and further entries (as JSON) that `restored` returns."""
        made_by = self.makers | provenance.today(self.settings)
        record = {"lines": self.lines, "notes": self.notes, "extra": extra, "made_by": made_by}
        self.checkpoints.save(step, state, record)

    def restored(self, step: int, like) -> tuple[object, dict] | None:
        """Return the tree of a step's checkpoint, with the structure, shapes and types of `like`, and its further
        entries; None if it is damaged, or of another training.

        The checkpoint may belong to another finished run with the same training.
        """
        own = step in self.checkpoints.steps
        source = self.checkpoints if own else self._earlier
        assert source is not None  # the step is one of `steps`
        saved = source.restore(step, like)
        if saved is None:
            return None
        state, record = saved
        self.lines, self.notes, self.makers = record["lines"], record["notes"], record["made_by"]
        self.curves = [row for line in self.lines for row in line["members"]]
        if not own:
            self.trained_by = source.folder.parent
            name = "/".join(self.trained_by.parts[-2:])
            self.note(f"the training is that of {name}, as the settings differ only in what is used after it")
        return state, record["extra"]

    @functools.cached_property
    def _earlier(self) -> Checkpoints | None:
        """The checkpoints of a finished run with the same training."""
        if self.settings.run.force or (place := learner_store.earlier(self.settings)) in (None, self.place.path):
            return None
        saved = Checkpoints(place / "checkpoints", training_hash(self.settings))
        why = validity.why_other(RunDirectory(place), self.settings, training=True)
        if why or not all(map(saved.is_whole, saved.steps)):
            why = why or "its checkpoint is damaged"
            console.say(f"{self.place.path}: trained anew, not taken from {place}, as {why}")
            return None
        return saved

    # learners

    def learner(self, name: str, learner: Learner) -> None:
        """Store a trained learner with the run. It may have an axis over seeds in front, of which `trained` takes one
        seed.
        """
        self.begin()
        learner_store.write(self.directory, name, learner)

    def trained(self, words: list[str], member: int = 0) -> dict[str, Learner]:
        """Return {name: learner} of another run's learners. `Base.inputs` must list its command line, so that it is run
        first.

        Args:
            words: the overrides of that run.
            member: the index of the run's seed.

        Raises:
            UserError: the run is missing, the seed diverged, or its learner is damaged or has another structure.
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
        place = learner_store.member_of(directory, settings, settings.seed + member)
        return {name: learner_store.read(directory, name, structure, place) for name, structure in structures.items()}

    # begin and end

    def begin(self) -> None:
        """Make the directory, or remove an earlier attempt's files from it. A second call does nothing."""
        if self._begun:
            return
        self._begun = True
        self.directory.begin(self.settings, self.makers)
        if self.lines:
            self.directory.append_metrics(*self.lines)
        self._track = self._open.enter_context(tracking(self.settings, self.directory))

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Lock the run's directory against other processes."""
        with self.place.locked(self.settings), self._open:
            if self.distrusted:
                self.checkpoints.clear()
            yield

    def take_place(self) -> None:
        """Rename the directory of a finished run to its name."""
        self._open.close()
        self.place.take_place()
        self.directory = self.place

    @on_first_process
    def finish(self) -> None:
        """Write the summary. Figures, report (`analysis.report.present`) and DONE come later."""
        self.begin()  # in case the experiment has written nothing
        if other := validity.other_makers(self.makers, self.settings):
            self.note(f"the training was {other}")
        self.directory.write_summary(
            {
                "experiment": self.settings.name,
                "kind": kind_of(self.settings),
                "config_hash": config_hash(self.settings),
                "command": self.command,
                "figure": figure_of(self.settings),
                "settings": shown_differences(self.settings),
                "numbers": self._numbers,
                "tables": self._tables,
                "notes": self.notes,
                "seconds": {"total": self.total_seconds},
            }
            | ({"stopped": self.stopped} if self.stopped else {})
            | self._entries
        )
