"""A language model reads its demonstrations again [DT]: what that gains, and how its updates fade."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import line
from analysis.tables.select import Row, rows_where, table
from experiments.demonstrations.deep_thinking import results as study
from experiments.demonstrations.deep_thinking.figure import RATES, SHARED, draw_norms, pairs_of, panels
from experiments.demonstrations.language_deep_thinking import results
from lab.runs.directory import RunDirectory

CAPTION = (
    "Means over sets of demonstrations; bars and bands are two standard errors over sets and test rows. Top, from the "
    "left: accuracy by the number of demonstrations, with chance (dashed) and the share of the most frequent class "
    f"(dotted); {SHARED}, with the first choice of positions; and at the first rate with the other one."
)
TICKS = {
    study.VALIDATED: "chosen on\nvalidation",
    results.BEST: "best on\nthe test",
    study.FRESH: "on fresh\nhalves",
    study.AGAIN: "one whole\nre-reading",
    study.TWICE: "examples\ntwice",
}
POSITIONS = {1.0: "positions go on", 0.0: "positions repeated"}


def draw(directory: RunDirectory) -> Figure:
    norms = table(directory, study.NORMS)
    first, *others = dict.fromkeys(row.number(results.OFFSET) for row in norms)
    figure, axes = panels(directory, {results.OFFSET: first}, TICKS)
    _examples(axes[0, 0], table(directory, results.EXAMPLES))
    eta, beta = pairs_of(norms)[0]
    if others:
        other = axes[1, RATES]
        draw_norms(other, rows_where(norms, {results.OFFSET: others[0], study.ETA: eta, study.BETA: beta}))
        other.set_title(f"eta {eta:g}, {POSITIONS[others[0]]}")
    else:
        axes[1, RATES].set_axis_off()
    style.legend(*axes[0, :2], *axes[1, :RATES])
    return figure


def _examples(panel: Axes, rows: list[Row]) -> None:
    line(panel, rows, results.COUNT, results.by_examples.name, color=style.COLOURS[0], label="in context")
    for column, dashes in ((results.chance, "--"), (results.majority, ":")):
        value = rows[0].number(column.name)
        panel.axhline(value, color="#999999", linestyle=dashes, linewidth=0.8, label=column.label)
    panel.set(xlabel="demonstrations", ylabel=results.by_examples.label)
