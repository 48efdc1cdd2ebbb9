"""A trained layer, applied more often than in training, beside gradient descent of as many steps [VO23, A.6 and
figure 10]."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.select import Row, distinct, group_by, numbers, rows_where, table, text
from experiments.regression.more_steps import results
from lab.runs.directory import RunDirectory

CAPTION = (
    "The loss after each application of a trained layer (lines), of the same layer where it changes the y-slots of "
    "tokens alone (dotted), and after each step of gradient descent (dashed and wide), on a logarithmic axis; one "
    "panel per number of times that the layer was applied in training (vertical line), one colour per damping: the "
    "factor of what the layer adds to the tokens, and of gradient descent's rate, which is the best for as many "
    "steps as in training. Means over seeds, bands one standard deviation where it is below a factor of 2; lines "
    "that leave a panel at its top diverge."
)
COLOURS = ("#D55E00", "#E69F00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9")
SPREAD = np.log(2)  # of the logarithms; wider bands, of seeds that diverge at different times, would fill the panel
HIGHEST = 3.0  # times the largest loss after the first application: the top of the panel


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, results.TABLE)
    trained = group_by(rows, results.LAYERS)
    figure, axes = style.panels(1, len(trained), width=4 * len(trained), height=4)
    for panel, (layers, group) in zip(axes[0], trained.items(), strict=True):
        _panel(panel, group)
        panel.axvline(layers, color="#999999", linewidth=0.8)
        times = "once" if layers == 1 else f"{text(layers)} times"
        panel.set(title=f"applied {times} in training", xlabel="applications, or steps", ylabel=results.loss.label)
    style.legend(*axes[0])
    return figure


def _panel(panel: Axes, rows: list[Row]) -> None:
    dampings = sorted(distinct(rows, results.DAMPING), reverse=True)
    for damping, color in zip(dampings, COLOURS * len(dampings), strict=False):
        chosen = rows_where(rows, {results.DAMPING: damping})
        for learner, name, line, options in (
            (results.DESCENT, "", "--", {"linewidth": 4, "alpha": 0.4}),
            (results.TRAINED, "trained layer", "-", {}),
            (results.ANSWERS, "", ":", {}),
        ):
            label = f"{name}, damping {damping:g}" if learner == results.TRAINED else "_"
            _band(panel, rows_where(chosen, {results.LEARNER: learner}), label, color, line, options)
    panel.plot([], [], "--", color="#777777", linewidth=4, alpha=0.4, label="steps of gradient descent")
    panel.plot([], [], ":", color="#777777", label="y alone")
    first = numbers(rows_where(rows, {results.APPLICATIONS: 1}), results.loss.name)
    lowest = min(numbers(rows, results.loss.name))
    panel.set_ylim(lowest / 1.3, HIGHEST * max(first))
    style.log(panel)


def _band(panel: Axes, rows: list[Row], label: str, color: str, line: str, options: dict) -> None:
    """Draw the geometric mean over seeds, with a band of one standard deviation of the logarithms."""
    by_count = group_by(rows, results.APPLICATIONS)
    logs_TxP = np.log([numbers(group, results.loss.name) for group in by_count.values()])
    mean = logs_TxP.mean(axis=1)
    panel.plot([*by_count], np.exp(mean), line, color=color, label=label, **options)
    if logs_TxP.shape[1] > 1:
        spread = logs_TxP.std(axis=1, ddof=1)
        low, high = np.exp(mean - spread), np.exp(mean + spread)
        panel.fill_between([*by_count], low, high, where=spread < SPREAD, color=color, alpha=0.15, linewidth=0)
