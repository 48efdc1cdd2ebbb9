"""The reach of attention in a prompt of many targets: theorems and their errors, and gradients by distance [DTI]."""

import itertools

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from experiments.clicks.dti_reach import results
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: every theorem about every scheme, kind of positions and number of layers, by the largest difference of "
    "logits in float64 (zero is drawn at 1e-17); circles: asserted to be equal, and left of the first line; diamonds: "
    "asserted to differ, and right of the second; crosses: does not hold. Right: the share of each distance in the "
    "norm of the gradient of the last target's logit with respect to embeddings, with the most layers; the line is at "
    "the window n. White: exactly zero."
)
NAMES = {
    ("first_target", "equal"): "first target = sliding",
    ("all_targets", "equal"): "all targets = sliding",
    ("all_targets", "different"): "not all = sliding",
    ("banded", "equal"): "banded = full",
}
SMALLEST, FAINTEST = 1e-17, 1e-5


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=8.8, height=5)
    errors, shares = axes[0]
    _errors(errors, table(directory, results.THEOREMS))
    _map(shares, most_layers(table(directory, results.REACH)))
    shares.set_title("random weights")
    style.legend(errors)
    return figure


def most_layers(rows: list[Row]) -> list[Row]:
    """Return the rows with the most layers and one kind of positions, rotary ones if there are any."""
    rows = rows_where(rows, {results.LAYERS: max(distinct(rows, results.LAYERS))})
    kinds = distinct(rows, results.POSITIONS)
    return rows_where(rows, {results.POSITIONS: "rope" if "rope" in kinds else kinds[0]})


def variant(row: Row) -> str:
    """Return the scheme in words, with a = 1 if its reset isolates."""
    return row.text(results.SCHEME) + (", a = 1" if row[results.ISOLATES] else "")


def _errors(panel: Axes, rows: list[Row]) -> None:
    for height, (identity, relation) in enumerate(NAMES):
        chosen = [row for row in rows if (row[results.IDENTITY], row[results.RELATION]) == (identity, relation)]
        for holds in (1, 0):
            differences = [max(row.number(results.MEASURED), SMALLEST) for row in chosen if row[results.HOLDS] == holds]
            marker = ("o" if relation == "equal" else "D") if holds else "x"
            color = "#0072B2" if relation == "equal" else "#D55E00"
            aside = height + 0.5 * (np.arange(len(differences)) / max(len(differences) - 1, 1) - 0.5)
            name = f"asserted to be {relation}" if holds else "does not hold"
            if differences:
                panel.plot(differences, aside, marker, color=color, markersize=3, label=name)
    panel.axvline(results.TOLERANCE, color="#0072B2", linewidth=0.8)
    panel.axvline(results.DIFFERENCE, color="#D55E00", linewidth=0.8)
    panel.set(xscale="log", xlabel=results.difference.label, ylim=(len(NAMES) - 0.5, -0.5))
    panel.set_yticks(range(len(NAMES)), NAMES.values())


def _map(panel: Axes, rows: list[Row]) -> None:
    groups = {name: list(group) for name, group in itertools.groupby(rows, variant)}
    count = 1 + int(max(numbers(rows, results.DISTANCE)))
    shares = np.zeros((len(groups), count))
    for place, group in enumerate(groups.values()):
        for distance in range(count):
            shares[place, distance] = np.mean(numbers(rows_where(group, {results.DISTANCE: distance}), results.SHARE))
    masked = np.ma.masked_equal(shares, 0.0)
    edges = np.arange(count + 1) - 0.5
    image = panel.pcolormesh(edges, np.arange(len(groups) + 1), masked, norm=LogNorm(FAINTEST, 1.0), cmap="viridis")
    panel.axvline(rows[0].number(results.WINDOW) + 0.5, color="#D55E00")
    panel.set_yticks(np.arange(len(groups)) + 0.5, list(groups), fontsize="small")
    panel.invert_yaxis()
    panel.grid(visible=False)
    panel.set(xlabel="interactions before the target")
    panel.figure.colorbar(image, ax=panel, label="share of the gradient's norm")
