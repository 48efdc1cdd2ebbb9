"""Judges of the claims of `language_deep_thinking`: conditions on its tables. No JAX here.

Numbers are of one model: their errors are over sets of demonstrations and over test rows. Gains that a claim compares
are paired row by row in the tables. Judged are the source's positions, that go on at a further reading.
"""

from collections.abc import Mapping

from analysis.figures import thinking
from analysis.figures.estimates import Estimate, estimate, exact
from analysis.figures.evidence import Condition, above, below, within
from analysis.figures.thinking import FAST, PLAIN, THEIRS, Pair
from analysis.tables.select import NotMeasured, Row, rows_where, table
from experiments.demonstrations.language_deep_thinking.columns import (
    BEST,
    FRESH,
    NO_MOMENTUM,
    OFFSET,
    VALIDATED,
    ZERO_SHOT,
    Common,
    Examples,
    Iterations,
    Norms,
    Protocols,
    Table,
)
from lab.runs.directory import RunDirectory

ON: Mapping[str, float] = {OFFSET: 1}
REPEATED: Mapping[str, float] = {OFFSET: 0}
STILL = 1e-5  # of the largest norm of a layer: what is below is rounding of float32
FOLLOWS = 1e-3  # of a relative norm


def _protocol(directory: RunDirectory, protocol: str, where: Mapping[str, float], column: str) -> Estimate:
    rows = rows_where(table(directory, Table.PROTOCOLS), {Protocols.PROTOCOL: protocol, **where})
    return estimate(rows, column)


def _gain(directory: RunDirectory, protocol: str, pair: Pair = THEIRS) -> Estimate:
    return _protocol(directory, protocol, {**ON, **pair}, Protocols.GAIN)


def _peak(directory: RunDirectory, pair: Pair) -> Estimate:
    """Return the number of iterations that is best for a set on the test rows."""
    return _protocol(directory, BEST, {**ON, **pair}, Common.ITERATIONS)


def _norms(directory: RunDirectory, where: Mapping[str, float]) -> list[Row]:
    return rows_where(table(directory, Table.NORMS), where)


def learns_in_context(directory: RunDirectory) -> list[Condition]:
    gain = _protocol(directory, ZERO_SHOT, {}, Protocols.GAIN)
    return [below("accuracy without demonstrations - with all of them", gain)]


def leaves_room(directory: RunDirectory) -> list[Condition]:
    """Return the condition that reading again could gain something: answers after one reading are not all right."""
    if directory.has_table(Table.ITERATIONS):
        rows = rows_where(table(directory, Table.ITERATIONS), {Common.ITERATIONS: 1})
        first = {key: rows[0].number(key) for key in (OFFSET, Common.ETA, Common.BETA)}
        accuracy = estimate(rows_where(rows, first), Iterations.ACCURACY)
    else:  # of kept tables, whose numbers of demonstrations end with all of them
        rows = table(directory, Table.EXAMPLES)
        accuracy = _accuracy(rows, max(row.number(Examples.EXAMPLES) for row in rows))
    return [below("accuracy with all demonstrations", accuracy, 1.0)]


def _accuracy(rows: list[Row], count: float) -> Estimate:
    return estimate(rows_where(rows, {Examples.EXAMPLES: count}), Examples.ACCURACY)


def grows(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.EXAMPLES)
    counts = sorted({row.number(Examples.EXAMPLES) for row in rows} - {0})
    if len(counts) < 2:
        raise NotMeasured("one number of demonstrations alone")
    few, many = (_accuracy(rows, count) for count in (counts[0], counts[-1]))
    return [above(f"accuracy with {counts[-1]:g} demonstrations - with {counts[0]:g}", many - few)]


def gains(directory: RunDirectory) -> list[Condition]:
    return [above("gain with the number of iterations chosen on validation rows", _gain(directory, VALIDATED))]


def gains_on_fresh_rows(directory: RunDirectory) -> list[Condition]:
    return [above("gain on the half of the test rows that did not choose", _gain(directory, FRESH))]


def momentum_gains(directory: RunDirectory) -> list[Condition]:
    return [above("best accuracy on the test, with momentum - without", _gain(directory, NO_MOMENTUM))]


def momentum_is_faster(directory: RunDirectory) -> list[Condition]:
    return [below("best iteration, with momentum - without", _peak(directory, THEIRS) - _peak(directory, PLAIN))]


def peaks_earlier(directory: RunDirectory) -> list[Condition]:
    return [below("best iteration, eta .1 - eta .01", _peak(directory, FAST) - _peak(directory, THEIRS))]


def fades_faster(directory: RunDirectory) -> list[Condition]:
    return thinking.fades_faster(_norms(directory, ON), still=0)


def fades_first_near_the_input(directory: RunDirectory) -> list[Condition]:
    return thinking.fades_first_near_the_input(_norms(directory, ON), still=0)


def first_layer_is_still(directory: RunDirectory) -> list[Condition]:
    """Return a condition on the largest norm in the first layer, in units of the largest of all layers."""
    rows = _norms(directory, REPEATED)
    first = max(row.number(Norms.NORM) for row in rows if row[Norms.LAYER] == 1)
    largest = max(row.number(Norms.NORM) for row in rows)
    return [within("norm of the first layer's update / the largest of all layers", exact(first / largest), STILL)]


def second_layer_recurs(directory: RunDirectory) -> list[Condition]:
    """Return a condition on the largest distance of the second layer's relative norms from the recurrence."""
    rows = rows_where(_norms(directory, REPEATED), {Norms.LAYER: 2})
    distance = max(abs(row.number(Norms.RELATIVE) - row.number(Norms.RECURRENCE)) for row in rows)
    return [within("relative norm in the second layer - that of the recurrence", exact(distance), FOLLOWS)]
