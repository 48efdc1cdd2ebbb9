"""A language model behind more and more demonstrations: accuracy by their number, for each data set."""

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import points
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.demonstrations.language_examples import results
from lab.runs.directory import RunDirectory

CAPTION = (
    "Accuracy on the test rows by the number of demonstrations, for three ways to compare answers: by the sum of log p "
    "over their tokens, by its mean, and by the sum calibrated with inputs without content. Means over sets of "
    "demonstrations; bars are two standard errors over sets and test rows. Dashed: chance; dotted: the share of the "
    "most frequent class. Last panel: accuracy gained over no demonstrations, where number and way are chosen on "
    "validation rows."
)
COLUMNS = 4


def draw(directory: RunDirectory) -> Figure:
    rows, chosen = table(directory, results.EXAMPLES), table(directory, results.CHOSEN)
    names = distinct(rows, results.DATA_SET)
    height = math.ceil((len(names) + 1) / COLUMNS)
    figure, axes = style.panels(height, min(COLUMNS, len(names) + 1), width=14, height=3.4 * height)
    panels = [*axes.flat]
    for panel, name in zip(panels, names, strict=False):
        _by_count(panel, rows_where(rows, {results.DATA_SET: name}))
        panel.set_title(name)
    _gains(panels[len(names)], chosen, names)
    for panel in panels[len(names) + 1 :]:
        panel.set_axis_off()
    style.legend(panels[0])
    return figure


def _by_count(panel: Axes, rows: list[Row]) -> None:
    counts = distinct(rows, results.COUNT)
    for colour, way in zip(style.COLOURS, distinct(rows, results.WAY), strict=False):
        of_way = rows_where(rows, {results.WAY: way})
        at_each = [rows_where(of_way, {results.COUNT: count}) for count in counts]
        points(panel, [*range(len(counts))], at_each, results.accuracy.name, fmt="o-", color=colour, label=way)
    for column, line in ((results.chance, "--"), (results.majority, ":")):
        panel.axhline(rows[0].number(column.name), color="#999999", linestyle=line, linewidth=0.8, label=column.label)
    panel.set_xticks([*range(len(counts))], [f"{count:g}" for count in counts])
    panel.set(xlabel="demonstrations", ylabel=results.accuracy.label)


def _gains(panel: Axes, rows: list[Row], names: list[str]) -> None:
    of_any = rows_where(rows, {results.CHOICE: results.ANY})
    at_each = [rows_where(of_any, {results.DATA_SET: name}) for name in names]
    points(panel, [*range(len(names))], at_each, results.gain.name, color="#000000")
    panel.axhline(0, color="#000000", linewidth=0.8)
    panel.set_xticks([*range(len(names))], names, rotation=45, ha="right")
    panel.set(ylabel="accuracy gained", title="chosen on validation rows")
