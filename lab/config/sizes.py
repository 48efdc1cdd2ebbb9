"""The sizes of a run, which its settings alone determine, and the refusal of those that no machine could compute here.

A kind's part `sizes` has a function `sizes(settings) -> Sizes`. It is called before JAX is imported. Its numbers are
rough, within a factor of about three. The formulas that kinds share are in `lab.config.work`.
"""

import copy
import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence

from lab.config.base import Base
from lab.config.identity import Setting, iter_settings
from lab.config.kinds import KINDS, kind_of
from lab.errors import ConfigError

START = 8.0  # seconds of importing, compiling and drawing that every run takes
HALVINGS = 60  # of the range in which the largest value is searched


@dataclasses.dataclass(frozen=True)
class Count:
    """An amount that may not exceed a bound, whatever the machine. problem: why not, as the end of a message."""

    problem: str
    amount: float
    most: float


@dataclasses.dataclass(frozen=True)
class Sizes:
    """The sizes of one run.

    memory: {what is in memory: bytes}, beyond those that every process takes; all of it at a time.
    in_turn: the same of what one seed or one point of a program takes after the other.
    batch, largest_batch: bytes of the batches of all seeds, and the most that a program takes of them at a time.
    parts: into how many parts a processor divides a batch; an accelerator takes it as a whole.
    operations: {what for: multiply-adds}, of training, evaluations and line searches together.
    silent: {what shows no progress meanwhile: multiply-adds between two signs of progress}.
    counts: of work between two signs of progress, where a bound is known from measurements.
    seconds: what takes as long on every machine, such as measurements of time that are asked to take so long.
    wait: seconds of that between two signs of progress.
    joint: whether points of a sweep that are one program are in memory at the same time.
    """

    memory: Mapping[str, float]
    operations: Mapping[str, float]
    silent: Mapping[str, float]
    counts: Sequence[Count] = ()
    in_turn: Mapping[str, float] = dataclasses.field(default_factory=dict)
    batch: float = 0.0
    largest_batch: float = math.inf
    parts: float = 1.0
    seconds: float = START
    wait: float = 0.0
    joint: bool = False

    @property
    def bytes(self) -> float:
        """All bytes of one run."""
        return bytes_of([self])

    @property
    def work(self) -> float:
        """All multiply-adds together."""
        return sum(self.operations.values())

    def plus(
        self,
        memory: Mapping[str, float] | None = None,
        operations: Mapping[str, float] | None = None,
        silent: Mapping[str, float] | None = None,
        in_turn: Mapping[str, float] | None = None,
        seconds: float = 0.0,
        joint: bool | None = None,
    ) -> "Sizes":
        """Return these sizes and further ones; `joint` replaces this one's."""
        return dataclasses.replace(
            self,
            memory={**self.memory, **(memory or {})},
            operations={**self.operations, **(operations or {})},
            silent={**self.silent, **(silent or {})},
            in_turn={**self.in_turn, **(in_turn or {})},
            seconds=self.seconds + seconds,
            joint=self.joint if joint is None else joint,
        )

    def times(self, count: int) -> "Sizes":
        """Return the sizes of so many runs, one after the other."""
        return dataclasses.replace(self, operations={name: count * each for name, each in self.operations.items()})


class Unknown(Exception):
    """The sizes of a run are not known, as its settings do not fit together: what refuses them comes later."""


@dataclasses.dataclass(frozen=True)
class Bounds:
    """The most that this machine computes. memory: bytes. operations: multiply-adds without a sign of progress.
    seconds: of waiting without one. whole: whether batches are not divided into parts."""

    memory: float
    operations: float
    seconds: float
    whole: bool = False


def sizes_of(settings: Base) -> Sizes | None:
    """Return the sizes of a run; None for a kind of a user's own that does not say them, or where they are unknown."""
    kind = KINDS[kind_of(settings)]
    try:
        return kind.load("sizes").sizes(settings) if "sizes" in kind.parts else None
    except Unknown:
        return None


def bytes_of(program: Sequence[Sizes], whole: bool = False) -> float:
    """Return the most bytes that runs of one program take at a time; whole: where batches are not divided."""
    if program and not program[0].joint and len(program) > 1:
        return max(bytes_of([one], whole) for one in program)
    together = sum(sum(one.memory.values()) for one in program)
    batch = sum(one.batch * (one.parts if whole else 1) for one in program)
    if not whole:
        batch = min([batch, *(one.largest_batch for one in program)])
    return together + batch + max((value for one in program for value in one.in_turn.values()), default=0.0)


def refuse(program: Sequence[Base], bounds: Bounds, name: str = "") -> None:
    """Refuse runs that cannot be computed within the bounds.

    Args:
        program: the settings of one run, or of several that train together.
        name: of the point of a sweep.

    Raises:
        ConfigError: a bound is exceeded. The message names the key that is furthest above its default among those that
            matter, and the largest value of it that is within all bounds.
    """
    exceeded = _excess(program, bounds)
    if exceeded is None:
        return
    problem, _ = exceeded
    point = f" (point {name})" if name else ""
    keys = list(_keys(program, bounds))
    for setting in keys:
        if (largest := _largest(program, setting, bounds)) is not None:
            allowed = f"with the other settings as they are, must be <= {largest}"
            raise ConfigError(f"{_shown(setting)}: {problem}{point}; {allowed}")
    first = f"{_shown(keys[0])}: " if keys else ""
    others = f"; lower {', '.join(setting.key for setting in keys[1:3])} too" if keys[1:] else ""
    raise ConfigError(f"{first}{problem}{point}{others}")


def _excess(program: Sequence[Base], bounds: Bounds) -> tuple[str, float] | None:
    """Return what is too large, and how many times; None where nothing is."""
    sizes = [one for one in map(sizes_of, program) if one is not None]
    if not sizes:
        return None
    first, longest = sizes[0], max(sizes, key=_silent)
    largest = _most({**first.memory, **first.in_turn, "a batch": first.batch})
    silence = "would give no sign for hours"
    excesses = [
        (f"{largest} would not fit the memory", _ratio(bytes_of(sizes, bounds.whole), bounds.memory)),
        (f"{_most(longest.silent)} {silence}", _ratio(_silent(longest), bounds.operations)),
        (f"measuring {silence}", _ratio(max(one.wait for one in sizes), bounds.seconds)),
        *((count.problem, _ratio(count.amount, count.most)) for one in sizes for count in one.counts),
    ]
    worst = max(excesses, key=lambda excess: excess[1])
    return worst if worst[1] > 1 else None


def _silent(sizes: Sizes) -> float:
    return max(sizes.silent.values(), default=0.0)


def _shown(setting: Setting) -> str:
    """Return a word of the command line; of a list its largest number."""
    value = _top(setting.value)
    return f"{setting.key}={value:g}" if isinstance(value, float) else f"{setting.key}={value}"


def _ratio(amount: float, most: float) -> float:
    return amount / most if math.isfinite(amount) else math.inf


def _most(parts: Mapping[str, float]) -> str:
    return max(parts, key=lambda name: parts[name]) if parts else ""


def _keys(program: Sequence[Base], bounds: Bounds) -> Iterator[Setting]:
    """Yield the numeric settings that the excess depends on, the one furthest above its default first."""
    candidates = {
        setting.key: setting
        for settings in program
        for setting in iter_settings(settings)
        if _top(setting.value) is not None
    }
    for setting in sorted(candidates.values(), key=_times_default, reverse=True):
        value = _top(setting.value)
        if value is not None and value > 1 and _falls(program, setting, value, bounds):
            yield setting


def _falls(program: Sequence[Base], setting: Setting, value: float, bounds: Bounds) -> bool:
    """Return whether the excess is smaller with half of a setting's value."""
    excess, less = _excess(program, bounds), _excess(_with(program, setting, value / 2), bounds)
    return excess is not None and (less is None or less[1] < excess[1])


def _times_default(setting: Setting) -> float:
    value, default = _top(setting.value), _top(setting.default)
    return 0.0 if value is None else value / (default or 1)


def _top(value: object) -> float | None:
    """Return a number, or the largest one of a list; None for anything else."""
    values = value if isinstance(value, list) else [value]
    flat = [one for inner in values for one in (inner if isinstance(inner, list) else [inner])]
    numbers = [one for one in flat if isinstance(one, int | float) and not isinstance(one, bool)]
    return max(numbers) if numbers and len(numbers) == len(flat) else None


def _largest(program: Sequence[Base], setting: Setting, bounds: Bounds) -> str | None:
    """Return the largest value of a setting that is within the bounds, as text; None where there is none."""
    high = _top(setting.value)
    low = max(setting.metadata.get("at_least", 0), 0 if isinstance(high, float) else 1)
    if high is None or _excess(_with(program, setting, low), bounds) is not None:
        return None
    for _ in range(HALVINGS):
        middle = (low + high) / 2 if isinstance(high, float) else (low + high) // 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _excess(_with(program, setting, middle), bounds) is None else (low, middle)
    return f"{low:g}" if isinstance(low, float) else str(low)


def _with(program: Sequence[Base], setting: Setting, most: float) -> list[Base]:
    """Return copies of the settings in which no number of a setting is larger than `most`."""
    copies = copy.deepcopy(list(program))
    *sections, name = setting.key.split(".")
    for settings in copies:
        node = settings
        for section in sections:
            node = getattr(node, section)
        setattr(node, name, _at_most(getattr(node, name), most))
    return copies


def _at_most(value, most: float):
    if isinstance(value, list):
        return [_at_most(one, most) for one in value]
    return min(value, type(value)(most))
