"""Softmax attention as gradient descent on random features of its kernel: errors by number of features, and the output
as demonstrations are learned one by one."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import line
from analysis.tables.select import Row, distinct, group_by, numbers, rows_where, sort_by, table
from experiments.duals.softmax_dual import results
from lab.runs.directory import RunDirectory

CAPTION = (
    "First panels: median relative error of one attention output whose kernel is estimated by random features, "
    "against their number, by the norm r of queries and keys; bars: two standard errors over seeds; grey: a slope of "
    "-1/2. Last panels: squared error of the output against the number of demonstrations learned, each by one step of "
    "gradient descent, relative to that of the kernel form before the first (linear up to 1, logarithmic above); "
    "medians over problems, and behind them single problems of the kernel form. With a fixed normaliser c one model "
    "serves one query; in ratio form it serves all. The panel of trained decoders: their accuracy with every "
    "attention replaced by its form in features."
)

MAPS = {  # label, colour, marker
    "trigonometric": ("trigonometric", "#0072B2", "o"),
    "positive": ("positive", "#D55E00", "s"),
    "hyperbolic": ("hyperbolic", "#009E73", "^"),
    "kernel": ("kernel form, no features", "#000000", ""),
}
SAMPLERS = {"iid": ("", "-"), "orthogonal": (", orthogonal", ":")}  # label, line
FORMS = {"fixed": "fixed c", "ratio": "ratio form"}
COLUMNS = 4
HIGHEST = 100.0  # the top of the panels of paths, which single problems exceed


def draw(directory: RunDirectory) -> Figure:
    errors, path, single = (table(directory, name) for name in (results.ERRORS, results.PATH, results.SINGLE))
    norms = distinct(errors, results.NORM)
    accuracies = directory.read_table(results.REPLACED) if directory.has_table(results.REPLACED) else []
    count = len(norms) + len(FORMS) + bool(accuracies)
    figure, axes = style.panels(-(-count // COLUMNS), COLUMNS, width=12, height=0.8 + 2.7 * -(-count // COLUMNS))
    panels = list(axes.flat)
    for panel, norm in zip(panels, norms, strict=False):
        _errors(panel, rows_where(errors, {results.NORM: norm}))
        panel.set_title(f"r = {norm:g}")
    for panel, (form, label) in zip(panels[len(norms) :], FORMS.items(), strict=False):
        _path(panel, rows_where(path, {results.FORM: form}), rows_where(single, {results.FORM: form}))
        panel.set_title(label)
    if accuracies:
        _accuracies(panels[count - 1], [Row(row) for row in accuracies])
    for panel in panels[count:]:
        panel.remove()
    style.legend(*panels[:count])
    return figure


def _errors(panel: Axes, rows: list[Row]) -> None:
    _by_features(panel, rows, results.median.name)
    counts = np.array(distinct(rows, results.FEATURES))
    top = max(row[results.median.name] for row in rows if row[results.FEATURES] == counts[0])
    panel.plot(counts, top * (counts / counts[0]) ** -0.5, color="#999999", linewidth=0.8, label="slope -1/2")
    panel.set_ylabel(results.median.label)
    style.log(panel)


def _accuracies(panel: Axes, rows: list[Row]) -> None:
    panel.axhline(float(np.mean(numbers(rows, results.own_accuracy.name))), color="#000000", label="exact attention")
    _by_features(panel, rows, results.accuracy.name)
    panel.set_ylabel(results.accuracy.label)
    panel.set_ylim(0, 1)
    panel.set_title("trained decoders")


def _by_features(panel: Axes, rows: list[Row], number: str) -> None:
    """Draw one line per feature map and kind of frequencies: means over seeds, with bars."""
    for name in (name for name in MAPS if name in distinct(rows, results.MAP)):
        label, color, marker = MAPS[name]
        for kind, by_kind in group_by(rows_where(rows, {results.MAP: name}), results.FREQUENCIES).items():
            suffix, dashes = SAMPLERS[kind]
            look = {"fmt": f"{dashes}{marker}", "color": color, "markersize": 3, "linewidth": 1.2}
            line(panel, by_kind, results.FEATURES, number, label=label + suffix, **look)
    panel.set(xscale="log", xlabel="features")


def _path(panel: Axes, rows: list[Row], single: list[Row]) -> None:
    """Draw one line per model, in units of the kernel form's median before the first demonstration, over all seeds."""
    kernel = sort_by(rows_where(rows, {results.MODEL: "kernel"}), results.DEMONSTRATIONS)
    unit = np.mean(numbers(rows_where(kernel, {results.DEMONSTRATIONS: 0}), results.median.name))
    for path in group_by(single, results.PROBLEM).values():
        steps = sort_by(path, results.DEMONSTRATIONS)
        squares = [row.number(results.SQUARED_ERROR) / unit for row in steps]
        panel.plot([row[results.DEMONSTRATIONS] for row in steps], squares, color="#999999", linewidth=0.5, alpha=0.7)
    for model, (label, color, _) in MAPS.items():
        steps = group_by(rows_where(rows, {results.MODEL: model}), results.DEMONSTRATIONS)
        medians = [np.mean(numbers(group, results.median.name)) / unit for group in steps.values()]
        panel.plot([*steps], medians, color=color, label=label)
    panel.set_yscale("symlog", linthresh=1.0)
    panel.set(xlabel="demonstrations", ylabel="squared error, relative", ylim=(-0.05, HIGHEST))
