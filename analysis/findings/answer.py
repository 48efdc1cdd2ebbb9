"""The picture of the front page: how far trained Transformers are from gradient descent of as many steps, by layer.

Rows of one folder of kept tables have one recipe and all of its seeds, including seeds added by `decide`. A recipe of
one layer begins with linear attention, so that softmax stands beside a linear layer of the same training.
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
SHOWN = {  # {folder of kept tables: {part: its label}}
    "fig1": {
        "plain": "one linear layer",
        "rag_linear": "... documents, linear",
        "rag_dot": "... documents, dot product",
    },
    "softmax_heads": {
        "linear": "one linear layer",
        "softmax_1": "... 1 softmax head",
        "softmax_2": "... 2 softmax heads",
        "softmax_4": "... 4 softmax heads",
    },
    "layer_norm": {"linear": "one linear layer", "layer_norm_1": "... behind a layer norm"},
    "depth": {"layers_2": "linear layer, twice", "layers_5": "linear layer, 5 times"},
    "stacks": {"looped_5": "linear layer, 5 times", "own_5": "five linear layers"},
}
SEVERAL_LAYERS = ("depth", "stacks")  # where GD++ is not gradient descent
FIGURES = sorted(SHOWN)
TRAINED, OTHER = "#0072B2", "#D55E00"


def draw(results: pathlib.Path) -> Figure:
    """Return the picture, drawn from the kept tables.

    Raises:
        NotMeasured: a table or a part is missing.
    """
    figure, axes = style.panels(1, 2, width=10, height=4.8, sharey=True)
    losses, cosines = axes[0]
    labels: list[str] = []
    for folder, parts in SHOWN.items():
        for panel in (losses, cosines) if labels else ():
            panel.axhline(len(labels) - 0.5, color="#999999", linewidth=0.8, linestyle=":")
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
    losses.set_yticks(range(len(labels)), labels)
    losses.invert_yaxis()
    losses.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
    losses.text(0.87, 3.5, "plateau", ha="center", va="center", color="#555555")  # three seeds that have not left it
    losses.set(title="loss above gradient descent's")
    cosines.set(title="cosine of sensitivities")
    marks = [Line2D([], [], color=colour, marker=mark, linestyle="") for colour, mark in ((TRAINED, "o"), (OTHER, "d"))]
    losses.legend(marks, ["trained", "GD++"], loc="upper left")
    cosines.legend(marks, ["with gradient descent", "with GD++"], loc="lower left")
    return figure


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
