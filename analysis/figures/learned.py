"""Controls that the figures of several kinds share: that a training was at its end.

That something was learned at all is a kind's own control, as it depends on what there is to learn: a model on a plateau
is flat, too.
"""

from collections.abc import Sequence

from analysis.figures.claim import Control
from analysis.figures.evidence import Condition, combine, estimate, within
from analysis.tables.columns import Curves, Table
from analysis.tables.select import NotMeasured, Row, group_by, rows_where, table, text
from lab.runs.directory import RunDirectory

SECOND_HALF = 0.05  # most of all that the training gains that its second half may still gain


def flat(number: str, share: float = SECOND_HALF, **where: str) -> Control:
    """Return the control that a number of curves.csv, such as a loss, hardly changes in the second half of training.

    Its change between half of the steps and the end, divided by that between the first evaluation and the end, is
    clearly nearer to zero than `share`: in every point of a sweep, over seeds.

    Args:
        number: the column.
        where: {column: value} of the points that are looked at.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CURVES)
        return [
            within(f"{place}change in the second half / whole change", _second_half(group, number), share)
            for place, group in by_place(rows_where(rows, where) if where else rows).items()
        ]

    return Control(f"the {number.replace('.', ' of ')} is flat at the end of training", judge)


def by_place(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return {'2 layers, 5 documents: ': its rows} of curves.csv, one entry per point; of a single run {'': rows}.

    What tells points apart are the columns before the step, the seed left out.
    """
    points: dict[str, list[Row]] = {}
    for row in rows:
        columns = list(row)[: list(row).index(Curves.STEP)]
        places = [text(row[name]) for name in columns if name != Curves.SEED]
        points.setdefault(", ".join(places) + ": " if places else "", []).append(row)
    return points


def _second_half(rows: list[Row], number: str):
    """Return the share of a number's whole change that falls into the second half of the training.

    Raises:
        NotMeasured: there are fewer than three evaluations.
    """
    by_step = group_by(rows, Curves.STEP)
    first, *later = by_step
    if len(later) < 2:
        raise NotMeasured("there are fewer than three evaluations in training")
    half = min(later[:-1], key=lambda step: abs(step - later[-1] / 2))
    start, middle, end = (estimate(by_step[step], number) for step in (first, half, later[-1]))
    return combine(lambda a, b, c: (b - c) / (a - c) if a != c else 0.0, start, middle, end)
