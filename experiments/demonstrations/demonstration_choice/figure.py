"""Choosing a set of demonstrations by a score on validation queries: Effect_D [LRGD], accuracy and log-loss. The panels
of every subject."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.axes import scale
from analysis.figures.means import line, mean_over_seeds
from analysis.tables.select import distinct, rows_where, table
from experiments.demonstrations.demonstration_choice import results
from experiments.demonstrations.demonstration_choice.results import HALF, LABELS, QUERIES, SCORE
from lab.runs.directory import RunDirectory

CAPTION = (
    "Mean over seeds; bars and bands are two standard errors. Left: test accuracy with the set of demonstrations that "
    "is the best by each score, against the number of validation queries; below, a random set; above, the set that is "
    "the best on the test queries themselves. Middle: Spearman's correlation, over the sets of an episode, of a score "
    "with test accuracy. Third: Effect_D of the set that it chooses, on the validation and on the test queries. Right: "
    "rank of the right class after so many demonstrations on the path of the last layer's dual models, for the half of "
    "the sets with the higher Effect_D on validation queries and for the other half."
)
STYLES = {"effect": ("#0072B2", "o"), "accuracy": ("#E69F00", "s"), "loss": ("#009E73", "^")}  # colour, marker
HALVES = {results.BETTER: "#0072B2", results.WORSE: "#999999"}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 4, width=15, height=3.8)
    path = axes[0, 3]
    draw_choice(directory, list(axes[0, :3]))
    for half, color in HALVES.items():
        rows = rows_where(table(directory, results.PATH), {HALF: half})
        line(path, rows, results.LEARNED, results.rank.name, color=color, fmt="-o", label=f"{half} half of the sets")
    path.set(xlabel="demonstrations learned", ylabel=results.rank.label)
    style.legend(*axes[0])
    return figure


def draw_choice(directory: RunDirectory, panels: Sequence[Axes]) -> None:
    """Draw accuracy with the chosen set, correlation of score and accuracy, and Effect_D on both sorts of queries."""
    accuracy, correlation, optimism = panels
    choice, bounds = (table(directory, name) for name in (results.CHOICE, results.BOUNDS))
    for score, (color, marker) in STYLES.items():
        for panel, column in ((accuracy, results.accuracy), (correlation, results.spearman)):
            rows = rows_where(choice, {SCORE: score})
            line(panel, rows, QUERIES, column.name, color=color, fmt=f"-{marker}", label=LABELS[score])
    for bound, label, dashes in (("random", "random set", ":"), ("best", "best set on the test", "--")):
        middle, error = mean_over_seeds(rows_where(bounds, {results.BOUND: bound}), results.bound_accuracy.name)
        accuracy.axhline(middle, linestyle=dashes, color="#444444", label=label)
        accuracy.axhspan(middle - error, middle + error, color="#444444", alpha=0.1, linewidth=0)
    for column, dashes in ((results.validation, "-"), (results.test, "--")):
        rows, label = rows_where(choice, {SCORE: "effect"}), f"Effect_D {column.label}"
        line(optimism, rows, QUERIES, column.name, color=STYLES["effect"][0], fmt=f"{dashes}o", label=label)
    accuracy.set(ylabel="test accuracy with the chosen set")
    correlation.set(ylabel="Spearman, score and test accuracy")
    optimism.set(ylabel="Effect_D of the set it chooses")
    for panel in panels:
        scale(panel, distinct(choice, QUERIES))
        panel.set(xlabel="validation queries")
