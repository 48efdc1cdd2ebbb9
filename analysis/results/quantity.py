"""Numbers of a run's tables as expressions, and bounds on them, which are the criteria of claims.

    lost = Column("rungs", "lost", "accuracy lost", "Accuracy with softmax minus accuracy with this one.", "rung")
    lost["linear"] - lost["softmax"] < 0.01

They begin with a column (`analysis.results.column`). A quantity has one value per seed, at one place of the tables or
at several. Arithmetic is done within each seed, so differences are paired. Nothing is read before a quantity, or bounds
on it, get a directory.
"""

import dataclasses
import itertools
import math
import re
from collections.abc import Callable, Mapping

from analysis.figures.estimates import Estimate, combine, mean
from analysis.figures.evidence import Condition
from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory

Numbers = Mapping[str, Estimate]  # {place, such as "layer 2": the number there}; {"": the number} for a single place


@dataclasses.dataclass(frozen=True)
class Bounds:
    """The judge of a claim: `low` < quantity < `high` at every place."""

    quantity: "Quantity"
    low: float = -math.inf
    high: float = math.inf

    def __call__(self, directory: RunDirectory) -> list[Condition]:
        """Return one condition per place. Raises NotMeasured where the tables lack the quantity."""
        numbers = self.quantity.numbers(directory)
        return [Condition(self.quantity.name(place), each, self.low, self.high) for place, each in numbers.items()]

    def __and__(self, other: "Bounds | Every") -> "Every":
        return Every((self,)) & other

    def __str__(self) -> str:
        """The criterion in words: 'accuracy lost (linear) is between -0.01 and 0.01'."""
        if math.isinf(self.high):
            return f"{self.quantity} is above {self.low:g}"
        if math.isinf(self.low):
            return f"{self.quantity} is below {self.high:g}"
        return f"{self.quantity} is between {self.low:g} and {self.high:g}"


@dataclasses.dataclass(frozen=True)
class Every:
    """The judge that asks for several bounds at once: `(a > 0) & (b < 1)`."""

    bounds: tuple[Bounds, ...]

    def __call__(self, directory: RunDirectory) -> list[Condition]:
        return [condition for each in self.bounds for condition in each(directory)]

    def __and__(self, other: "Bounds | Every") -> "Every":
        return Every((*self.bounds, *(other.bounds if isinstance(other, Every) else (other,))))

    def __str__(self) -> str:
        return ", and ".join(map(str, self.bounds))


@dataclasses.dataclass(frozen=True)
class Quantity:
    """A number with one value per seed, at one place of the tables or at several."""

    label: str  # the measured number, such as 'accuracy'
    subject: str  # the rows, such as 'softmax', "" for all; with a `*` in it the places are the values that it matches
    numbers: Callable[[RunDirectory], Numbers]  # read from a directory's tables; raises NotMeasured if these lack them
    places: str = ""  # in words

    def __str__(self) -> str:
        subject = f" ({_spaced(self.subject)})" if self.subject else ""
        return ", ".join(filter(None, [self.label + subject, _spaced(self.places)]))

    def name(self, place: str) -> str:
        """Return the name of the number at a place: 'accuracy (softmax)', 'cosine (linear), layer 2'."""
        if "*" in self.subject:
            return f"{self.label} ({_spaced(place)})"
        return str(dataclasses.replace(self, places=place))

    def __sub__(self, other: "Quantity | float") -> "Quantity":
        if isinstance(other, Quantity):
            return self._with(other, "-", lambda a, b: a - b)
        return self.map(f"{{}} - {other:g}", lambda value: value - other)

    def __truediv__(self, other: "Quantity") -> "Quantity":
        return self._with(other, "/", _ratio)

    def __gt__(self, low: float) -> Bounds:
        return Bounds(self, low=low)

    def __lt__(self, high: float) -> Bounds:
        return Bounds(self, high=high)

    def between(self, low: float, high: float) -> Bounds:
        """Return the bounds on both sides."""
        return Bounds(self, low, high)

    def within(self, distance: float) -> Bounds:
        """Return the bounds at this distance from 0."""
        return Bounds(self, -distance, distance)

    def steps(self) -> "Quantity":
        """Return the differences between neighbouring places, of the later one minus the earlier one."""

        def numbers(directory: RunDirectory) -> Numbers:
            if len(places := self.numbers(directory)) < 2:
                raise NotMeasured(f"{self}: there is one place")
            pairs = itertools.pairwise(places)
            return {f"{later} - {earlier}": places[later] - places[earlier] for earlier, later in pairs}

        return dataclasses.replace(self, numbers=numbers, places="each minus the one before,")

    def first(self) -> "Quantity":
        """Return the quantity at its first place alone."""
        return self._at(slice(1), self._end("first"))

    def last(self) -> "Quantity":
        """Return the quantity at its last place alone."""
        return self._at(slice(-1, None), self._end("last"))

    def after(self, count: int) -> "Quantity":
        """Return the quantity without its first places."""
        return self._at(slice(count, None), f"after the first{f' {count}' if count > 1 else ''},")

    def mean(self) -> "Quantity":
        """Return the mean over its places within each seed, with the error that they share."""

        def numbers(directory: RunDirectory) -> Numbers:
            return {"": mean([*self.numbers(directory).values()])}

        return dataclasses.replace(self, numbers=numbers, places=f"{self.places} in the mean,".lstrip())

    def from_mean(self, unit: "Quantity | None" = None) -> "Quantity":
        """Return each place's distance from the mean over all places, in units of the mean of `unit`, or of that mean
        without a unit."""

        def numbers(directory: RunDirectory) -> Numbers:
            if len(places := self.numbers(directory)) < 2:
                raise NotMeasured(f"{self}: there is one place")
            middle = mean([*places.values()])
            size = mean([*unit.numbers(directory).values()]) if unit else middle
            return {place: combine(lambda a, b, c: (a - b) / c, each, middle, size) for place, each in places.items()}

        label = f"({self.label} - mean) / {unit.label}" if unit else f"{self.label} / mean - 1"
        return dataclasses.replace(self, label=label, numbers=numbers)

    def log10(self) -> "Quantity":
        """Return its logarithm, for numbers whose order of magnitude alone counts."""
        return self.map("log10 of {}", _log10)

    def map(self, label: str, function: Callable[[float], float]) -> "Quantity":
        """Return a function of the quantity, place by place; `{}` in the label stands for the quantity's label."""

        def numbers(directory: RunDirectory) -> Numbers:
            return {place: combine(function, each) for place, each in self.numbers(directory).items()}

        if "*" in self.subject:
            return dataclasses.replace(self, label=label.format(self.label), numbers=numbers)
        return Quantity(label.format(dataclasses.replace(self, places="")), "", numbers, self.places)

    def over(self, function: Callable[..., float], words: str) -> "Quantity":
        """Return a function of the numbers at all places, such as `max` ('the largest'), within each seed."""

        def numbers(directory: RunDirectory) -> Numbers:
            return {"": combine(function, *self.numbers(directory).values())}

        return Quantity(self.label, f"{words} of {self.subject}" if self.subject else words, numbers)

    def _end(self, name: str) -> str:
        """Return the first or the last place in words: 'at the last value of layer,'."""
        return self.places.replace("at every", f"at the {name}") or f"the {name} of them,"

    def _at(self, which: slice, places: str) -> "Quantity":
        def numbers(directory: RunDirectory) -> Numbers:
            if not (chosen := dict([*self.numbers(directory).items()][which])):
                raise NotMeasured(f"{self}: there are too few places")
            return chosen

        return dataclasses.replace(self, numbers=numbers, places=places)

    def _with(self, other: "Quantity", sign: str, function: Callable[[float, float], float]) -> "Quantity":
        """Combine two quantities at their places, or a single place of one with all of the other."""

        def numbers(directory: RunDirectory) -> Numbers:
            one, two = self.numbers(directory), other.numbers(directory)
            if one.keys() == two.keys():
                return {place: combine(function, one[place], two[place]) for place in one}
            if min(len(one), len(two)) > 1:
                lacking = next(place for place in (*one, *two) if place not in one.keys() & two.keys())
                raise NotMeasured(f"{self} and {other} have other places: {lacking}")
            ends = itertools.product(one.items(), two.items())
            return {f" {sign} ".join(filter(None, (a, b))): combine(function, c, d) for (a, c), (b, d) in ends}

        every = self.places or other.places
        if self.label == other.label and (other.places or every) != every:  # of one subject: its last place / its first
            places = f" {sign} ".join(each.places.rstrip(",") for each in (self, other))
            return Quantity(self.label, self.subject, numbers, f"{places},")
        if self.label == other.label:
            return Quantity(self.label, _both(self.subject, sign, other.subject), numbers, every)
        whole = (str(dataclasses.replace(each, places="")) for each in (self, other))
        terms = (f"({text})" if text.endswith(" - 1") else text for text in whole)
        return Quantity(f" {sign} ".join(terms), "", numbers, every)


def _ratio(one: float, other: float) -> float:
    """Return one / other, where both are errors. An exact predictor has error 0: only another exact one is as good."""
    if other == 0:
        return 1.0 if one == 0 else math.copysign(math.inf, one)
    return one / other


def _log10(value: float) -> float:
    if value <= 0:
        raise NotMeasured(f"{value:g} has no logarithm")
    return math.log10(value)


def least(one: Quantity, other: Quantity) -> Quantity:
    """Return the lesser of two quantities within each seed, place by place."""
    return one._with(other, "or", min)


def greatest(one: Quantity, other: Quantity) -> Quantity:
    """Return the greater of two quantities within each seed, place by place."""
    return one._with(other, "or", max)


def _spaced(names: str) -> str:
    """Return values of tables as a reader sees them: 'gradient descent' of 'gradient_descent'."""
    return re.sub(r"(?<=[a-z0-9])_(?=[a-z0-9])", " ", names)


def _both(one: str, sign: str, other: str) -> str:
    """Return two subjects as one text, 'validated, eta 0.1 - eta 0.01', with their common part only once."""
    pairs = [*itertools.zip_longest(one.split(", "), other.split(", "))]
    shared = [a for a, b in pairs if a == b]
    if not shared or None in itertools.chain(*pairs):
        return f"{one} {sign} {other}"
    apart = (", ".join(each[place] for each in pairs if each[0] != each[1]) for place in (0, 1))
    return ", ".join([*shared, f" {sign} ".join(apart)])
