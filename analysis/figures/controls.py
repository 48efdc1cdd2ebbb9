"""Controls: conditions for judging a claim on trained models, such as that training was at its end.

That something was learned at all is a kind's own control, as it depends on what there is to learn: a model on a plateau
is flat, too.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence

from analysis.figures.estimates import combine, estimate, exact
from analysis.figures.evidence import Condition, Judge, seed_count, value, within, worst
from analysis.tables.columns import Curves, Table
from analysis.tables.select import NotMeasured, Row, group_by, rows_where, table, text
from lab.runs.directory import RunDirectory

SECOND_HALF = 0.05  # most of all that the training gains that its second half may still gain

Evaluations = Sequence[list[Row]]  # the rows of each evaluation of one point, from the first to the last


@dataclasses.dataclass(frozen=True)
class Control:
    """A condition for judging claims on trained models: that something was learned, or that training was at its end.

    Args:
        name: what is seen, in words.
        judge: returns the conditions, as for a claim; each must be clearly met.
        per_seed: the claim is judged on the seeds that meet the conditions one by one, at least two, and its verdict
            says how many these are. Such a control must not look at the number that the claim is about, but may look
            at a reference in it.
        changed: date and change, where the control was another before the run of the kept tables.
    """

    name: str
    judge: Judge
    per_seed: bool = False
    changed: str = ""

    def seeds(self, directory: RunDirectory) -> set[float]:
        """Return the seeds that meet all conditions; none where there is no condition."""
        return set.intersection(*([each.seeds_inside for each in self.judge(directory)] or [set()]))


def not_reached(controls: Sequence[Control], directory: RunDirectory, confidence: float) -> str:
    """Return why there is no verdict, by the first control that is not met; "" where all are."""
    for control in controls:
        if missing := _missing(control, directory, confidence):
            return f"{control.name}: {missing}"
    return ""


def _missing(control: Control, directory: RunDirectory, confidence: float) -> str:
    """Return why a control is not met, in words; "" where all conditions clearly are, or two seeds meet all."""
    try:
        if control.per_seed:
            seeds, tried = len(control.seeds(directory)), max(map(seed_count, control.judge(directory)), default=0)
            return "" if seeds > 1 else f"of {tried} seeds {seeds or 'none'} did"
        lacking = [each for each in control.judge(directory) if not each.met_with(confidence)]
    except (NotMeasured, FileNotFoundError) as error:
        return f"not measured ({error})"
    if not lacking:
        return ""
    least = worst(lacking)
    return f"{least.name} is {value(least)}, it must be clearly {least.bound}"


def flat(number: str, share: float = SECOND_HALF, **where: str | float) -> Control:
    """Return the control that a number of curves.csv, such as a loss, hardly changes in the second half of training.

    Its change between half of the steps and the end, divided by that between the first evaluation and the end, is
    clearly nearer to zero than `share`: in every point of a sweep, over seeds.

    Args:
        number: the column. Where a table has rare rows with large errors, a loss on test rows is steered by these; the
            training loss, a mean over many batches that is empty before the first one, is not.
        where: {column: value} of the points that are looked at.
    """

    def judge(place: str, evaluations: Evaluations) -> Condition:
        evaluations = _with_value(evaluations, number)
        start, middle, end = (
            estimate(rows, number) for rows in (evaluations[0], halfway(evaluations), evaluations[-1])
        )
        change = combine(lambda a, b, c: (b - c) / (a - c) if a != c else 0.0, start, middle, end)
        return within(f"{place}change in the second half / whole change", change, share)

    words = number.replace("train_loss", "training loss").replace(".", " of ")
    return Control(f"the {words} is flat at the end of training", at_every_place(judge, where))


def each_seed(*controls: Control, date: str = "") -> tuple[Control, ...]:
    """Return controls that ask each seed by itself, where one that stays on a plateau would turn the mean of all.

    Args:
        date: the date, if they asked the mean over seeds before the run of the kept tables.
    """
    changed = f"{date}: controls ask each seed by itself" if date else ""
    return tuple(dataclasses.replace(control, per_seed=True, changed=changed) for control in controls)


def of_one(control: Control) -> Control:
    """Return a control for claims about one model, in which a number of a single seed has no error over seeds."""

    def judge(directory: RunDirectory) -> list[Condition]:
        return [
            dataclasses.replace(each, number=exact(each.number.mean)) if len(each.number.by_seed) == 1 else each
            for each in control.judge(directory)
        ]

    return dataclasses.replace(control, judge=judge)


def at_every_place(judge: Callable[[str, Evaluations], Condition], where: Mapping[str, str | float]) -> Judge:
    """Return a judge of all points of curves.csv, which raises NotMeasured where one has fewer than three evaluations.

    Args:
        judge: the place of a point in words, its evaluations -> the condition that it must meet.
        where: {column: value} of the points that are looked at.
    """

    def conditions(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CURVES)
        judged = []
        for place, group in by_place(rows_where(rows, where) if where else rows).items():
            judged.append(judge(place, _enough([*group_by(group, Curves.STEP).values()])))
        return judged

    return conditions


def _enough(evaluations: Evaluations) -> Evaluations:
    if len(evaluations) < 3:
        raise NotMeasured("there are fewer than three evaluations in training")
    return evaluations


def _with_value(evaluations: Evaluations, number: str) -> Evaluations:
    """Return the evaluations without those before the first step, where they have no such number."""
    return _enough([rows for rows in evaluations if not math.isnan(rows[0].number(number))])


def halfway(evaluations: Evaluations) -> list[Row]:
    """Return the rows of the evaluation that is nearest to half of the steps, neither the first nor the last one."""
    last = evaluations[-1][0].number(Curves.STEP)
    return min(evaluations[1:-1], key=lambda rows: abs(rows[0].number(Curves.STEP) - last / 2))


def by_place(rows: Sequence[Row], first: str = Curves.STEP) -> dict[str, list[Row]]:
    """Return {'2 layers, 5 documents: ': its rows} of a table, one entry per point; of a single run {'': rows}.

    Args:
        first: the first column that is no place; the seed before it is none either.
    """
    points: dict[str, list[Row]] = {}
    for row in rows:
        columns = list(row)[: list(row).index(first)]
        places = [text(row[name]) for name in columns if name != Curves.SEED]
        points.setdefault(", ".join(places) + ": " if places else "", []).append(row)
    return points
