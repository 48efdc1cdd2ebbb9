"""The picture of the front page: how far trained Transformers are from gradient descent of as many steps, by layer.

Rows of one folder of kept tables have one recipe and all of its seeds, including seeds added by `decide`. A recipe of
one layer begins with linear attention, so that softmax stands beside a linear layer of the same training. One layer and
several have panels of their own: their inputs differ.
"""

import math
import pathlib
import statistics

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.figures import style
from analysis.figures.estimates import estimate
from analysis.figures.measures import GD, excess
from analysis.metrics.columns import Metric
from analysis.tables.columns import Seeds, Table
from analysis.tables.extra_seeds import Further
from analysis.tables.select import Row, rows_where, table

NAME = "answer"
GD_PLUS_PLUS = "gd_plus_plus"
ONE_LAYER = {  # {folder of kept tables: (its recipe, {part: its label})}
    "fig1": (
        "one layer, 2,000 steps of 1,024 episodes or 2,048",
        {"plain": "linear", "rag_linear": "linear retriever", "rag_dot": "dot-product retriever"},
    ),
    "layer_norm": (
        "one layer, 2,000 steps of 1,024 episodes",
        {"linear": "linear", "layer_norm_1": "behind a layer norm"},
    ),
    "softmax_heads": (
        "one layer, 3,000 steps of 256 episodes",
        {"linear": "linear", "softmax_1": "1 softmax head", "softmax_2": "2 heads", "softmax_4": "4 heads"},
    ),
}
SEVERAL_LAYERS = {  # where GD++ is not gradient descent
    "depth": (
        "several layers, inputs half as wide, 3,000 steps of 512",
        {"layers_2": "linear, twice", "layers_5": "linear, 5 times"},
    ),
    "stacks": (
        "the same, clipped, and GD++ with rates for each step",
        {"looped_5": "linear, 5 times", "own_5": "5 linear layers"},
    ),
}
SHOWN = ONE_LAYER | SEVERAL_LAYERS
FIGURES = sorted(SHOWN)
TRAINED, OTHER, GREY = "#0072B2", "#D55E00", "#555555"


def draw(results: pathlib.Path) -> Figure:
    """Return the picture, drawn from the kept tables.

    Raises:
        NotMeasured: a table or a part is missing.
    """
    figure, axes = style.panels(2, 2, width=10, height=6, sharey="row", height_ratios=[12, 7])
    _draw(axes[0, 0], axes[0, 1], results, ONE_LAYER)
    _draw(axes[1, 0], axes[1, 1], results, SEVERAL_LAYERS)
    for row, layers in enumerate(("one layer", "several layers")):
        axes[row, 0].set_title(f"loss above gradient descent's, {layers}")
        axes[row, 1].set_title(f"cosine of sensitivities, {layers}")
    axes[0, 0].text(0.81, 9.5, "plateau", ha="center", va="center", color=GREY)  # of seeds that have not left it
    axes[1, 0].set_xlim(-1, 0.04)
    axes[1, 0].set_xlabel("\N{LEFTWARDS ARROW} better than gradient descent with one rate for all steps")
    marks = [Line2D([], [], color=colour, marker=mark, linestyle="") for colour, mark in ((TRAINED, "o"), (OTHER, "d"))]
    axes[0, 0].legend(marks, ["trained", "GD++"], loc=(0.74, 0.6))
    axes[0, 1].legend(marks, ["with gradient descent", "with GD++"], loc=(0.02, 0.6))
    return figure


def _draw(losses, cosines, results: pathlib.Path, recipes: dict[str, tuple[str, dict[str, str]]]) -> None:
    """Draw the recipes of a row of panels: the recipe in words, and below it a line of dots for each part."""
    labels: list[str] = []
    for folder, (recipe, parts) in recipes.items():
        losses.annotate(
            recipe, (0, len(labels)), (4, 0), ("axes fraction", "data"), "offset points", va="center", color=GREY
        )
        labels.append("")
        for part, label in parts.items():
            rows = of_part(results, folder, part)
            place, excesses = len(labels), by_seed(rows)
            if folder in SEVERAL_LAYERS:
                _dots(losses, place, [*excess(rows, GD_PLUS_PLUS).by_seed.values()], OTHER, "d")
                _dots(cosines, place, _cosines(rows, GD_PLUS_PLUS), OTHER, "d")
            _dots(losses, place, excesses, TRAINED)
            _dots(cosines, place, _cosines(rows, GD), TRAINED)
            labels.append(f"{label} ({len(excesses)})")
    losses.axvline(0, color="#999999", linewidth=0.8)
    cosines.axvline(1, color="#999999", linewidth=0.8)
    losses.set_yticks([place for place, label in enumerate(labels) if label], filter(None, labels))
    losses.set_ylim(len(labels) - 0.5, -0.7)
    losses.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")


def of_part(results: pathlib.Path, folder: str, part: str) -> list[Row]:
    """Return the rows of seeds.csv of one row of the picture: of all seeds, on the test episodes.

    Raises:
        NotMeasured: the rows are missing.
    """
    rows = table(Further(results / folder, math.inf), Table.SEEDS)
    return rows_where(rows, {"part": part, Seeds.EVALUATION: "test"})


def by_seed(rows: list[Row]) -> list[float]:
    """Return each seed's loss above gradient descent's loss, as a share of the latter."""
    return [*excess(rows).by_seed.values()]


def _cosines(rows: list[Row], learner: str) -> list[float]:
    return [*estimate(rows_where(rows, {Seeds.LEARNER: learner}), Metric.COSINE).by_seed.values()]


def _dots(panel, place: int, values: list[float], colour: str, marker: str = "o") -> None:
    panel.plot(values, [place] * len(values), marker, color=colour, alpha=0.45, markersize=5)
    panel.plot([statistics.median(values)] * 2, [place - 0.3, place + 0.3], color=colour, linewidth=1.6)
