"""Search for demonstrations by Effect_D [LRGD]: rounds, similarity, validation against test, and what it is worth."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.axes import scale
from analysis.figures.means import band, line, points
from analysis.tables.columns import Rounds
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.demonstrations.demonstrations import results
from experiments.demonstrations.demonstrations.results import EXAMPLES, METHOD, QUERIES, ndcg
from lab.runs.directory import RunDirectory

CAPTION = (
    "Mean over seeds; bars and bands are two standard errors. Above, against the round of the search, with the middle "
    "number of validation queries: Effect_D on validation of the prompt that is chosen, nDCG@10 of the same prompt on "
    "test queries, and similarity of a path's set with that of the round before. Below, by the number of validation "
    "queries: Effect_D of the chosen prompt on validation and on test, the correlation of the two within a user over "
    "random sets, and nDCG@10 on test at the end, of searches and of prompts that no search made."
)
SEARCHES = {  # label, colour, line
    "one": ("1 path", "#000000", "-"),
    "one_more": ("1 path, 3 times the proposals", "#999999", "-"),
    "three": ("3 paths", "#0072B2", "-"),
    "two_path": ("2 paths, perturbed", "#56B4E9", "--"),
    "three_path": ("3 paths, perturbed", "#D55E00", "-"),
    "three_other": ("3 paths, perturbed by any other", "#332288", ":"),
    "three_random": ("3 paths, random appended", "#CC79A7", "--"),
    "long": ("1 path, twice the size", "#44AA99", "--"),
    "long_more": ("1 path, twice the size, 3 times the proposals", "#009E73", "-"),
}
PROMPTS = {
    "union": ("union of 3 paths", "#E69F00"),
    "singles": ("best singles, no search", "#882255"),
    "zero_shot": ("none", "#DDDDDD"),
    "random": ("random", "#DDCC77"),
    "whole_pool": ("whole pool", "#661100"),
}
SIDES = ((results.validation, "-o"), (results.effect, "--s"))


def draw(directory: RunDirectory) -> Figure:
    rounds, methods = table(directory, results.ROUNDS), table(directory, results.ENDS)
    counts = distinct(methods, QUERIES)
    middle = counts[len(counts) // 2]
    figure, axes = style.panels(2, 3, width=13, height=7.4)
    for panel, column in zip(axes[0], (results.chosen, results.reached, results.similarity), strict=True):
        _by_round(panel, rows_where(rounds, {QUERIES: middle}), column.name)
        panel.set(xlabel="round", ylabel=column.label, title=f"{middle:g} validation queries")
    sides, agreement, ends = axes[1]
    for name in ("one", "three_path"):
        label, color, _ = SEARCHES[name]
        for column, dashes in SIDES:
            options = {"fmt": dashes, "color": color, "label": f"{label}, {column.label}"}
            line(sides, rows_where(methods, {METHOD: name}), QUERIES, column.name, **options)
    pairs = table(directory, results.AGREEMENT)
    line(agreement, pairs, QUERIES, results.correlation.name, color="#444444")
    agreement.set(ylabel=results.correlation.label)
    sides.set(ylabel="Effect_D of the chosen prompt")
    for panel in (sides, agreement):
        scale(panel, counts)
        panel.set(xlabel="validation queries")
    _ends(ends, methods, counts)
    style.legend(sides, ends)
    return figure


def _by_round(panel: Axes, rows: list[Row], column: str) -> None:
    for name, (label, color, dashes) in SEARCHES.items():
        chosen = rows_where(rows, {Rounds.METHOD: name})
        band(panel, chosen, Rounds.ROUND, column, dashes, color=color, label=label)


def _ends(panel: Axes, rows: list[Row], counts: list[float]) -> None:
    """Draw one row per method, with its name in the colour of its curves, and one mark per number of queries."""
    names = [name for name in dict.fromkeys(row.text(METHOD) for row in rows) if _is_drawn(rows, name)]
    looks = [SEARCHES.get(name) or PROMPTS[_family(name)] for name in names]
    for count, color, marker in zip(counts, style.shades(len(counts)), "osD^v" * len(counts), strict=False):
        at_each = [rows_where(rows, {QUERIES: count, METHOD: name}) for name in names]
        options = {"fmt": marker, "markersize": 3, "color": color, "label": f"{count:g} validation queries"}
        points(panel, range(len(names)), at_each, ndcg.name, flat=True, **options)
    panel.set_yticks(range(len(names)), [label for label, *_ in looks], fontsize="x-small")
    for label, (_, color, *_) in zip(panel.get_yticklabels(), looks, strict=True):
        label.set_color(color)
    panel.invert_yaxis()
    panel.set(xlabel="nDCG@10 on test", title="at the end")


def _family(name: str) -> str:
    return name if name in PROMPTS else name.rpartition("_")[0]


def _is_drawn(rows: list[Row], name: str) -> bool:
    """Return whether a method has a bar: of the prompts of one family, only the one with the most examples has."""
    family = [row.number(EXAMPLES) for row in rows if _family(row.text(METHOD)) == _family(name)]
    return name in SEARCHES or rows_where(rows, {METHOD: name})[0][EXAMPLES] == max(family)
