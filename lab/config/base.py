"""The settings that every experiment has, whatever its kind. No JAX here: `--help` is instant.

The settings of a kind are a dataclass that inherits from `Base`. Its fields are the keys of the command line. A field's
metadata holds the bounds of its value (`at_least`, `above`, `at_most`), and marks that say what depends on it:

    not_hashed      results do not depend on it, so it is not in the hash of settings that names a run's directory
    traced          a number that changes no shape: points that differ in such numbers alone can train in one program
    after_training  it is used after training only: two runs that differ in it alone share their training
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.choices import Platform, Precision, Stage, Tracker
from tasks.settings import nonnegative, positive

LARGEST = 2**31 - 1
NOT_HASHED = {"not_hashed": True}


def marked(a_field, **marks: bool):
    """Return the same field with further marks in its metadata: `not_hashed`, `traced`, `after_training`."""
    return field(default=a_field.default, metadata={**a_field.metadata, **marks})


@dataclass
class Sweep:
    """The way in which the points of a sweep are run. `Base.parts` and `Base.grid` list the points."""

    fail_fast: bool = False  # stop at the first point that fails
    stage: Stage = Stage.all
    program: int = field(default=0, metadata={"at_least": 0})  # the program to run, counted from 0, if stage is train


@dataclass
class Checkpoint:
    """Saved states of the training. After a kill the same command continues from the last one."""

    every: float = nonnegative(10.0)  # least seconds between two of them; it becomes more where saving takes long


@dataclass
class Run:
    """The directory of a run's results, and whether it is run again."""

    dir: str = "runs"
    force: bool = False  # run again although the same settings have a finished run


@dataclass
class Device:
    """The devices that a run computes on, and how they share the work."""

    require: Platform = field(default=Platform.none, metadata=NOT_HASHED)
    precision: Precision = Precision.highest
    # The number of devices that share the population; 0: the largest that divides it.
    population: int = marked(nonnegative(0), not_hashed=True)
    # The number of devices that share a batch of episodes; 0: all that are left.
    episodes: int = marked(nonnegative(0), not_hashed=True)
    cache: bool = field(default=True, metadata=NOT_HASHED)  # keep compiled programs in the user's cache directory


@dataclass
class Hosts:
    """Several processes, each with its own devices, that train one population together."""

    auto: bool = False  # the cluster (Slurm, Open MPI, TPU, ...) tells the processes where the others are
    coordinator: str = ""  # HOST:PORT of the first process, without a cluster; empty: this process is alone
    processes: int = positive(1)  # the number of processes
    process: int = field(default=0, metadata={"at_least": 0})  # the number of this process, counted from 0


@dataclass
class Base:
    """The keys that every kind has.

    GROUPS: {key: name of its default, or None} of the keys that choose among several schemas, such as `task=rag_dot`.
    FIGURE, SWEEP_FIGURE: names of the figures of one run and of a sweep, unless the key `figure` names another.
    TINY: the words of the smallest honest run, `experiment=NAME` among them; it takes seconds. Tests run it.
    """

    GROUPS: ClassVar[dict[str, str | None]] = {}
    FIGURE: ClassVar[str] = ""
    SWEEP_FIGURE: ClassVar[str] = "points"
    TINY: ClassVar[list[str]] = []

    name: str = field(default="", metadata=NOT_HASHED)  # the name of the experiment; empty: none was chosen
    figure: str = field(default="", metadata=NOT_HASHED)  # the name of a figure; empty: the kind's own
    seed: int = field(default=0, metadata={"at_least": 0, "at_most": LARGEST})
    use: str = field(default="", metadata=NOT_HASHED)  # a Python file of your own, or a module; imported first
    made_from: list[str] = field(default_factory=list)  # hashes of the runs that it starts from; filled in by the lab
    # {name of a part: words of the command line}; a word may list values, KEY=VALUE,VALUE.
    parts: dict[str, list[str]] = field(default_factory=dict)
    grid: list[str] = field(default_factory=list)  # KEY=VALUE,VALUE,...; a point is a part with one value of each KEY
    other_sizes: dict[str, list[str]] = field(default_factory=dict, metadata=NOT_HASHED)  # {name: words}
    size: str = field(default="", metadata=NOT_HASHED)  # a name of other_sizes; words of the command line override it
    sweep: Sweep = field(default_factory=Sweep, metadata=NOT_HASHED)
    checkpoint: Checkpoint = field(default_factory=Checkpoint, metadata=NOT_HASHED)
    tracker: Tracker = field(default=Tracker.none, metadata=NOT_HASHED)
    run: Run = field(default_factory=Run, metadata=NOT_HASHED)
    device: Device = field(default_factory=Device)
    hosts: Hosts = field(default_factory=Hosts, metadata=NOT_HASHED)

    @property
    def has_points(self) -> bool:
        """Return true for a sweep, false for one run."""
        return bool(self.parts or self.grid)

    def together(self) -> Hashable | None:
        """Return a key: points with equal keys are run by one call of their kind's `run`; None: each point alone."""
        return None

    def check(self) -> None:
        """Check that the settings fit together.

        Raises:
            ConfigError: they exclude each other.
        """

    def inputs(self) -> list[list[str]]:
        """Return the command lines of the runs that it starts from; those that are not finished are run first."""
        return []

    def fill_in(self) -> None:
        """Set what is part of the run's hash but is read from a file, such as a checksum. Not called for a sweep.

        Raises:
            DataError: the file is not there.
        """
