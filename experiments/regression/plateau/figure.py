"""The steps at which layers leave their plateau, predicted and measured, by plain gradient descent and by Adam."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.regression.plateau.results import EXITS, FORM, LAYERS, predicted, steps
from lab.runs.directory import RunDirectory

CAPTION = (
    "One dot per seed: the step at which it leaves its plateau, against the step that its initial weights predict. "
    "Left: linear attention trained by plain gradient descent, with three scales of initial weights; grey: equal. "
    "Right: the lab's layers trained by Adam, of which an order is predicted; seeds at the top have not left."
)
LOOKS = {
    "merged": ("merged matrices", "#CC79A7", "v"),
    "separate": ("separate matrices", "#E69F00", "D"),
    "linear": ("linear", "#999999", "o"),
    "softmax": ("softmax", "#D55E00", "s"),
    "layer_norm": ("layer norm", "#009E73", "^"),
}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=9, height=3.6)
    for panel, name, title in zip(axes[0], (EXITS, LAYERS), ("plain gradient descent", "Adam"), strict=True):
        rows = table(directory, name)
        _dots(panel, rows)
        panel.set_title(title)
        if name == EXITS:
            ends = [float(end(row[predicted.name] for row in rows)) for end in (min, max)]
            panel.plot(ends, ends, color="#999999", linewidth=0.8, zorder=0)
    style.legend(*axes[0])
    return figure


def _dots(panel: Axes, rows: list[Row]) -> None:
    for form in distinct(rows, FORM):
        label, colour, marker = LOOKS[str(form)]
        chosen = rows_where(rows, {FORM: form})
        x, y = ([row.number(each.name) for row in chosen] for each in (predicted, steps))
        panel.plot(x, y, marker, color=colour, markersize=4, alpha=0.7, label=label)
    panel.set(xscale="log", yscale="log", xlabel=predicted.label, ylabel=steps.label)
