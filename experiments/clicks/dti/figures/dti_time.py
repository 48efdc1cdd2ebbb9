"""Training time until convergence, of prompts of many targets and of sliding windows [DTI, section 5.3 and table 3]."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.columns import Table
from analysis.tables.select import NotMeasured, distinct, table
from experiments.clicks.dti.drawing import COLOURS
from experiments.clicks.dti.results import LABELS
from experiments.clicks.dti.results.time import (
    CONVERGED,
    TIME,
    seconds_until_converged,
    trainings_of,
)
from lab.runs.directory import RunDirectory

CAPTION = (
    "Trainings of 125, 250, 500, ... steps, each with a schedule of its own. Left: by how much AUC on sliding windows "
    "is below that of the Bayes-optimal answer from a window, as a share of it, against the seconds of the processor "
    "that the training of a model took, of all threads; mean over seeds with bars of two standard errors. The dashed "
    "line is where a training counts as converged. Right: the seconds until then, one point per seed, and the mean."
)
NEEDS_POINTS = True


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=9, height=3.6)
    lines, times = axes[0]
    parts = [part for part in LABELS if part in distinct(table(directory, Table.CLICKS), "part")]
    for place, (part, color) in enumerate(zip(parts, COLOURS, strict=False)):
        lacking, seconds = zip(*trainings_of(directory, part), strict=True)
        errors = [2 * each.stderr if len(each.by_seed) > 1 else 0.0 for each in lacking]
        lines.errorbar(seconds, [each.mean for each in lacking], errors, fmt="-o", color=color, label=LABELS[part])
        _draw_times(times, directory, part, -place, color)
    lines.axhline(CONVERGED, color="#555555", linestyle="--")
    lines.set(xscale="log", yscale="log", xlabel="seconds of the processor", ylabel="share of AUC below Bayes")
    times.set(xlim=(0, None), xlabel=f"seconds until AUC is within {100 * CONVERGED:g}% of Bayes")
    times.set_yticks([-place for place in range(len(parts))], [LABELS[part] for part in parts])
    style.legend(lines)
    return figure


def _draw_times(panel: Axes, directory: RunDirectory, part: str, height: float, color: str) -> None:
    try:
        seconds = seconds_until_converged(directory, part)
    except NotMeasured:
        return
    panel.plot([*seconds.by_seed.values()], [height] * len(seconds.by_seed), "o", mfc="none", color=color)
    panel.plot([seconds.mean] * 2, [height - 0.25, height + 0.25], color=color)


CLAIMS = TIME
