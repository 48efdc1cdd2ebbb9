"""Claims about reading the context again, judged over seeds, of decoders that learn in context.

The source has one rate and one momentum for its results, THEIRS, and chooses the number of iterations by the results
that it reports: the best of up to 15.
"""

from collections.abc import Mapping

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.evidence import Condition, above, below
from analysis.tables.select import NotMeasured, Row, group_by, numbers, rows_where, table
from experiments.deep_thinking.columns import Common, Norms, Protocols, Table
from lab.runs.directory import RunDirectory

Pair = Mapping[Common, float]
THEIRS: Pair = {Common.ETA: 0.01, Common.BETA: 0.9}
FAST: Pair = {Common.ETA: 0.1, Common.BETA: 0.9}
PLAIN: Pair = {Common.ETA: 0.01, Common.BETA: 0.0}  # without momentum, at the source's rate
STILL, EXACT = 1, 2  # layers: the first does not move, and a recurrence gives the updates of the second


def _protocol(directory: RunDirectory, protocol: str, pair: Pair | None, column: str) -> Estimate:
    wanted = {Protocols.PROTOCOL: protocol, **(pair or {})}
    return estimate(rows_where(table(directory, Table.PROTOCOLS), wanted), column)


def _gain(directory: RunDirectory, protocol: str, pair: Pair | None = None) -> Estimate:
    return _protocol(directory, protocol, pair, Protocols.GAIN)


def _peak(directory: RunDirectory, pair: Pair) -> Estimate:
    """Return the number of iterations with the highest accuracy on all tasks."""
    return _protocol(directory, "best_common", pair, Common.ITERATIONS)


def learns_in_context(directory: RunDirectory) -> list[Condition]:
    return [below("accuracy zero-shot - in context", _gain(directory, "zero_shot"))]


def gains(directory: RunDirectory) -> list[Condition]:
    return [above("gain with the number of iterations chosen on other tasks", _gain(directory, "validated", THEIRS))]


def gains_on_fresh_queries(directory: RunDirectory) -> list[Condition]:
    return [above("gain on fresh queries", _gain(directory, "fresh", THEIRS))]


def momentum_gains(directory: RunDirectory) -> list[Condition]:
    difference = _gain(directory, "best_per_task", THEIRS) - _gain(directory, "best_per_task", PLAIN)
    return [above("gain on the same queries, with momentum - without", difference)]


def momentum_gains_on_fresh_queries(directory: RunDirectory) -> list[Condition]:
    difference = _gain(directory, "fresh", THEIRS) - _gain(directory, "fresh", PLAIN)
    return [above("gain on fresh queries, with momentum - without", difference)]


def momentum_is_faster(directory: RunDirectory) -> list[Condition]:
    return [below("best iteration, with momentum - without", _peak(directory, THEIRS) - _peak(directory, PLAIN))]


def beats_one_reading(directory: RunDirectory) -> list[Condition]:
    difference = _gain(directory, "validated", FAST) - _gain(directory, "again")
    return [above("gain with momentum - gain of one re-reading", difference)]


def peaks_earlier(directory: RunDirectory) -> list[Condition]:
    return [below("best iteration, eta .1 - eta .01", _peak(directory, FAST) - _peak(directory, THEIRS))]


def _half_way(directory: RunDirectory, pair: Pair) -> dict[float, Estimate]:
    """Return {layer: norm of its update half-way, relative to its first}, of the layers that move.

    Raises:
        NotMeasured: there is no layer above the second.
    """
    rows = [row for row in table(directory, Table.NORMS) if row.number(Norms.LAYER) > STILL]
    if not any(row.number(Norms.LAYER) > EXACT for row in rows):
        raise NotMeasured("there is no layer above the second")
    count = (2 + max(numbers(rows, Common.ITERATIONS))) // 2
    chosen: list[Row] = rows_where(rows, {Common.ITERATIONS: count, **pair})
    return {layer: estimate(group, Norms.RELATIVE) for layer, group in group_by(chosen, Norms.LAYER).items()}


def fades_faster(directory: RunDirectory) -> list[Condition]:
    fast, slow = _half_way(directory, FAST), _half_way(directory, THEIRS)
    name = "layer {:g}: relative norm half-way, eta .1 - eta .01"
    return [below(name.format(layer), fast[layer] - slow[layer]) for layer in fast if layer > EXACT]


def fades_first_near_the_input(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for pair in (FAST, THEIRS):
        lowest, *others = _half_way(directory, pair).items()
        for layer, norm in others:
            name = f"eta {pair[Common.ETA]:g}: relative norm half-way, layer {lowest[0]:g} - layer {layer:g}"
            conditions.append(below(name, lowest[1] - norm))
    return conditions


CONTROLS = (Control("the decoders learn in context", learns_in_context),)
CLAIMS = (
    Claim(
        statement="Reading the context again, with momentum, improves on in-context learning.",
        source=stronger(Work.DT, "section 4.2, RQ1, tables 1 and 2", "substantially outperforms vanilla ICL"),
        criterion="accuracy gained at eta = .01, beta = .9, with one number of iterations for all tasks, chosen on "
        "other tasks",
        judge=gains,
    ),
    Claim(
        statement="What the best number of iterations for each task gains is no choice among noise.",
        source=stronger(Work.DT, "section 4.2, RQ1", "the best results obtained within"),
        criterion="the number that is best on half of a task's queries gains on the other half too, at eta = .01, "
        "beta = .9",
        judge=gains_on_fresh_queries,
    ),
    Claim(
        statement="Momentum gains, at the same rate.",
        source=said(Work.DT, "section 4.2, RQ4, table 3", "substantially better than the non-momentum method"),
        criterion="gain of the best number of iterations for each task on the queries that are scored, at eta = .01: "
        "with beta = .9 above that with beta = 0",
        judge=momentum_gains,
    ),
    Claim(
        statement="Momentum gains at the same rate on queries that did not choose the number of iterations, too.",
        source=stronger(Work.DT, "section 4.2, RQ4, table 3", "substantially better than the non-momentum method"),
        criterion="the same difference on a task's other queries",
        judge=momentum_gains_on_fresh_queries,
    ),
    Claim(
        statement="With momentum the peak is reached in fewer iterations.",
        source=said(Work.DT, "section 4.2, RQ4, table 3", "reach its peak performance faster"),
        criterion="number of iterations that is best on all tasks, at eta = .01: with beta = .9 below that with 0",
        judge=momentum_is_faster,
    ),
    Claim(
        statement="Momentum gains more than one whole re-reading without it.",
        source=own("derived here: every stable rate and momentum leads to the keys and values of re-reading"),
        criterion="gain at eta = .1, beta = .9, with the number of iterations chosen on other tasks, above that of one "
        "whole re-reading",
        judge=beats_one_reading,
    ),
    Claim(
        statement="With a larger rate the peak is reached in fewer iterations.",
        source=said(Work.DT, "section 4.2, RQ3", "leads to faster performance peaks"),
        criterion="number of iterations that is best on all tasks, with beta = .9: at eta = .1 below that at eta = .01",
        judge=peaks_earlier,
    ),
    Claim(
        statement="Updates fade faster with a larger rate.",
        source=said(Work.DT, "section 4.2, RQ3, figure 5", "leads to faster decay of"),
        criterion="norm of the update of keys and values relative to the first, half-way: lower at eta = .1 than at "
        "eta = .01 in every layer above the second, whose updates follow a recurrence whatever is learned",
        judge=fades_faster,
    ),
    Claim(
        statement="Updates fade fastest near the input.",
        source=said(Work.DT, "section 4.2, RQ3, figure 5", "occurring near the input layer"),
        criterion="the same norm, at eta = .1 and .01: in the second layer, the first that moves, lower than in every "
        "layer above",
        judge=fades_first_near_the_input,
    ),
)
