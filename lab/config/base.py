"""What can be set of every experiment, whatever its kind. No JAX here: `--help` is instant.

A kind of experiment is a dataclass that inherits from `Base`. Its fields are the keys of the command line. Their
metadata say what is allowed (`at_least`, `above`, `at_most`), and how a value counts:

    not_hashed      results do not depend on it, so it is no part of a run's name, which is a hash of settings
    traced          a number that changes no shape: points that differ in such numbers alone can train in one program
    after_training  it is used after training only: another value of it does not train again
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.choices import Platform, Precision, Stage, Tracker
from tasks.settings import nonnegative, positive

LARGEST = 2**31 - 1
NOT_HASHED = {"not_hashed": True}


def marked(a_field, **marks: bool):
    """The same field with more metadata (`not_hashed`, `traced`, `after_training`)."""
    return field(default=a_field.default, metadata={**a_field.metadata, **marks})


@dataclass
class Sweep:
    """How several points are run; which points these are, `parts` and `grid` say."""

    fail_fast: bool = False  # stop at the first point that fails
    stage: Stage = Stage.all
    program: int = nonnegative(0)  # which one, where stage is train


@dataclass
class Checkpoint:
    """States of the training, from which the same command goes on after a kill."""

    every: float = nonnegative(10.0)  # seconds between them at least, and more where saving takes long


@dataclass
class Run:
    dir: str = "runs"
    force: bool = False  # run again although the same configuration is done


@dataclass
class Device:
    require: Platform = field(default=Platform.none, metadata=NOT_HASHED)
    precision: Precision = Precision.highest
    population: int = marked(nonnegative(0), not_hashed=True)  # that share it; 0: all that divide it
    episodes: int = marked(nonnegative(0), not_hashed=True)  # that share a batch; 0: the rest
    cache: bool = field(default=True, metadata=NOT_HASHED)  # keep compiled programs in the user's cache directory


@dataclass
class Hosts:
    """Several processes, each with devices of its own, that train one population together."""

    auto: bool = False  # they find one another by what the cluster (Slurm, Open MPI, TPU, ...) tells them
    coordinator: str = ""  # HOST:PORT of the first, where no cluster tells; empty: this process is alone
    processes: int = positive(1)  # how many
    process: int = nonnegative(0)  # which of them this is, from 0


@dataclass
class Base:
    """The keys of every kind.

    GROUPS: {key: name of its default or None} of the keys that choose among several schemas (`task=rag_dot`).
    FIGURE, SWEEP_FIGURE: what one run, and the points of a sweep, are drawn as unless `figure` says otherwise.
    TINY: the words of the smallest honest run, `experiment=NAME` among them; it takes seconds. Tests run it.
    """

    GROUPS: ClassVar[dict[str, str | None]] = {}
    FIGURE: ClassVar[str] = ""
    SWEEP_FIGURE: ClassVar[str] = "points"
    TINY: ClassVar[list[str]] = []

    name: str = field(default="", metadata=NOT_HASHED)  # of the experiment; empty: none was chosen
    figure: str = field(default="", metadata=NOT_HASHED)  # a file of analysis/figures; empty: the kind's own
    seed: int = field(default=0, metadata={"at_least": 0, "at_most": LARGEST})
    use: str = field(default="", metadata=NOT_HASHED)  # a Python file of your own, or a module; imported first
    made_from: list[str] = field(default_factory=list)  # names of the runs it starts from; filled in
    parts: dict[str, list[str]] = field(default_factory=dict)  # name: words; a word may list values, KEY=VALUE,VALUE
    grid: list[str] = field(default_factory=list)  # KEY=VALUE,VALUE,...; a point is a part with a value of each KEY
    other_sizes: dict[str, list[str]] = field(default_factory=dict, metadata=NOT_HASHED)  # name: words, as in parts
    size: str = field(default="", metadata=NOT_HASHED)  # one of other_sizes; words of the command line win
    sweep: Sweep = field(default_factory=Sweep, metadata=NOT_HASHED)
    checkpoint: Checkpoint = field(default_factory=Checkpoint, metadata=NOT_HASHED)
    tracker: Tracker = field(default=Tracker.none, metadata=NOT_HASHED)
    run: Run = field(default_factory=Run, metadata=NOT_HASHED)
    device: Device = field(default_factory=Device)
    hosts: Hosts = field(default_factory=Hosts, metadata=NOT_HASHED)

    @property
    def has_points(self) -> bool:
        """Whether this is a sweep, and not one run."""
        return bool(self.parts or self.grid)

    def together(self) -> Hashable | None:
        """Points with the same value are handed to one call of the experiment's `run`; None: each alone."""
        return None

    def check(self) -> None:
        """What its settings allow of one another.

        Raises:
            ConfigError: they exclude each other.
        """

    def inputs(self) -> list[list[str]]:
        """The command lines of the finished runs that it starts from; those that are not there are run first."""
        return []

    def fill_in(self) -> None:
        """Set what a run's name needs and only a file can tell, such as a checksum. Not called for a sweep.

        Raises:
            DataError: the file is not there.
        """
