"""The settings that every experiment has, whatever its kind. No JAX here: `--help` is instant.

The settings of a kind are a dataclass that inherits from `Base`. Its fields are the keys of the command line. A field's
metadata holds the bounds of its value (`at_least`, `above`, `at_most`), and marks that say what depends on it:

    not_hashed      results do not depend on it, so it is not in the hash of settings that names a run's directory
    traced          a number that changes no shape: points that differ in such numbers alone can train in one program
    after_training  it is used after training only: two runs that differ in it alone share their training

and its meaning, a `sentence` and perhaps a `unit`, for `--help` and reports (`tasks.settings.key`). The first sentence
of a class describes the section whose settings it holds.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from lab.config.choices import Platform, Precision, Stage, Style, Tracker
from tasks.settings import key, nonnegative, positive

LARGEST = 2**31 - 1
NOT_HASHED: dict[str, Any] = {"not_hashed": True}


def marked(a_field, **marks: bool):
    """Return the same field with further marks in its metadata: `not_hashed`, `traced`, `after_training`."""
    return field(default=a_field.default, metadata={**a_field.metadata, **marks})


@dataclass
class Sweep:
    """The way in which the points of a sweep are run. `Base.parts` and `Base.grid` list the points."""

    fail_fast: bool = key(False, "Stop at the first point that fails.")
    stage: Stage = key(Stage.all, "Part of the sweep to do: all, one program's training, or its tables.")
    program: int = key(0, "With sweep.stage=train, the program to run, counted from 0.", at_least=0)


@dataclass
class Checkpoint:
    """Saved states of the training. After a kill the same command continues from the last one."""

    every: float = nonnegative(10.0, "Least time between saved states; longer where saving takes long.", unit="seconds")


@dataclass
class Run:
    """The directory of a run's results, and whether it is run again."""

    dir: str = key("runs", "Directory of all runs; one of them is DIR/EXPERIMENT/HASH.")
    force: bool = key(False, "Run again although the same settings have a finished run.")


@dataclass
class Device:
    """The devices that a run computes on, and how they share the work."""

    require: Platform = key(Platform.none, "Kind of device that the run needs; none: any.", **NOT_HASHED)
    precision: Precision = key(Precision.highest, "Precision of matrix products on an accelerator; a CPU has float32.")
    population: int = marked(
        nonnegative(0, "Devices that share the population; 0: as many as divide it."), not_hashed=True
    )
    episodes: int = marked(
        nonnegative(0, "Devices that share a batch of episodes; 0: all that are left."), not_hashed=True
    )
    cache: bool = key(True, "Keep compiled programs in the user's cache directory.", **NOT_HASHED)


@dataclass
class Hosts:
    """Several processes, each with its own devices, that train one population together."""

    auto: bool = key(False, "Ask the cluster (Slurm, Open MPI, TPU) where the other processes are.")
    coordinator: str = key("", "HOST:PORT of the first process, without a cluster; empty: one process.")
    processes: int = positive(1, "Processes that train together.")
    process: int = key(0, "The number of this process, counted from 0.", at_least=0)


@dataclass
class Base:
    """The keys that every kind has.

    GROUPS: {key: name of its default, or None} of the keys that choose among several schemas, such as `task=rag_dot`.
    FIGURE, SWEEP_FIGURE: names of the figures of one run, "" for the one that is called as the kind, and of a sweep,
        unless the key `figure` names another.
    FIRST: the keys that people change first, up to ten, for the beginning of `--help`, which leaves out those that
        the chosen task has not.
    TINY: the overrides of the smallest honest run, `experiment=NAME` among them; it takes seconds. Tests run it, and
        `size=tiny` stands for it.
    ERRORS: two names: the data over which the standard error of a single seed is taken; and the data shared by all
    seeds, which add to the error of several seeds.
    """

    GROUPS: ClassVar[dict[str, str | None]] = {}
    FIGURE: ClassVar[str] = ""
    SWEEP_FIGURE: ClassVar[str] = "points"
    FIRST: ClassVar[list[str]] = ["seed"]
    TINY: ClassVar[list[str]] = []
    ERRORS: ClassVar[tuple[str, str]] = ("over its test episodes", "")

    name: str = key("", "Name of the experiment; empty: none was chosen.", **NOT_HASHED)
    figure: str = key("", "Name of the figure to draw; empty: the kind's own.", **NOT_HASHED)
    style: Style = key(Style.screen, "Form of the figure; paper: also for the columns of a paper.", **NOT_HASHED)
    seed: int = key(0, "Seed of all random numbers of the run.", at_least=0, at_most=LARGEST)
    use: str = key("", "A Python file of your own, or a module, that is imported first.", **NOT_HASHED)
    made_from: list[str] = key([], "Hashes of the runs that it starts from; the run fills them in.")
    parts: dict[str, list[str]] = key({}, "A sweep's parts: {name: words of the command line}.")
    grid: list[str] = key([], "A sweep's keys and values: KEY=VALUE,VALUE; each combination is a run.")
    other_sizes: dict[str, list[str]] = key(
        {}, "Further sizes of the experiment: {name: words of the command line}.", **NOT_HASHED
    )
    size: str = key(
        "",
        "Name of one of other_sizes, or tiny, which takes seconds; words of the command line override it.",
        **NOT_HASHED,
    )
    sweep: Sweep = field(default_factory=Sweep, metadata=NOT_HASHED)
    checkpoint: Checkpoint = field(default_factory=Checkpoint, metadata=NOT_HASHED)
    tracker: Tracker = key(Tracker.none, "Tool that records the run in addition to metrics.jsonl.", **NOT_HASHED)
    run: Run = field(default_factory=Run, metadata=NOT_HASHED)
    device: Device = field(default_factory=Device)
    hosts: Hosts = field(default_factory=Hosts, metadata=NOT_HASHED)

    @property
    def has_points(self) -> bool:
        """Return true for a sweep, false for one run."""
        return bool(self.parts or self.grid)

    def together(self) -> Hashable | None:
        """Return a key: one call of the kind's `run` runs all points with equal keys. None: each point is run alone."""
        return None

    def check(self) -> None:
        """Check that the settings fit together.

        Raises:
            ConfigError: settings exclude each other.
        """

    def inputs(self) -> list[list[str]]:
        """Return the command lines of the runs that this run starts from. Unfinished ones are run first."""
        return []

    def fill_in(self) -> None:
        """Set the values in the run's hash that are read from files, such as a checksum. Not called for a sweep.

        Raises:
            DataError: a file is missing.
        """
