"""Trained decoders on prompts of other distributions than those of training [Garg22, section 5]."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.figures import style
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.demonstrations.prompt_shifts import results
from experiments.demonstrations.prompt_shifts.results import DECODER, LEAST_SQUARES, SAME
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

CAPTION = (
    "Squared error divided by E f², against the number of examples, of decoders trained on linear functions and inputs "
    "~ N(0, I), and of least squares (dashed); one colour per value. Top: other inputs; a query may be drawn apart "
    "from the context. Below: inputs or functions multiplied by a factor, and noise on the examples' targets. Means "
    "over seeds, bands one standard deviation."
)
PANELS = {  # shift: title
    SAME: "as in training",
    "skewed": "skewed covariance",
    "subspace": "subspace of half the dimensions",
    "orthants": "prompt and query in two orthants",
    results.ORTHOGONAL: "query orthogonal to the examples",
    results.REPEATED: "query equal to an example",
    "scale of x": "scale of x",
    "scale of f": "scale of f",
    results.NOISE: "noise",
}
COLOURS = ("#332288", "#0072B2", "#E69F00", "#D55E00", "#CC79A7", "#009E73")


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, results.SHIFTS)
    shifts = [shift for shift in PANELS if shift in distinct(rows, results.SHIFT)]
    figure, axes = style.panels(-(-len(shifts) // 3), 3, width=11, height=8.5)
    for panel, shift in zip(axes.flat, shifts, strict=False):
        _panel(panel, rows_where(rows, {results.SHIFT: shift}))
        panel.set_title(PANELS[shift])
    for panel in axes.flat[len(shifts) :]:
        panel.set_visible(False)
    style.legend(*axes.flat)
    return figure


def _panel(panel: Axes, rows: list[Row]) -> None:
    values = distinct(rows, results.VALUE)
    for value, color in zip(values, COLOURS * len(values), strict=False):
        for learner, line in ((DECODER, "-"), (LEAST_SQUARES, "--")):
            chosen = rows_where(rows, {results.VALUE: value, results.LEARNER: learner})
            several = len(values) > 1  # of these the dashed lines have the colours of the others
            color = color if several else ROLES[learner].colour
            label = "_" if several and learner == LEAST_SQUARES else ROLES[learner].label
            label = f"{label}, {value:g}" if several else label
            style.band(panel, chosen, results.error.name, label, color, line, results.EXAMPLES, least=0.0)
    low, high = panel.get_ylim()
    panel.set(xlabel="examples in the context", ylabel="squared error / E f²", ylim=(max(low, -0.05), min(high, 3)))
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))
