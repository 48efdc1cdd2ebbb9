"""Training until it has converged: AUC below the Bayes-optimal answer, by targets seen and by processor time [DTI]."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import own
from analysis.figures.claim import Claim
from analysis.figures.estimates import exact
from analysis.figures.evidence import Condition, above
from analysis.tables.columns import Spent, Table
from analysis.tables.select import NotMeasured, Row, table
from experiments.dti.drawing.along import draw_along, draw_ends, spent, targets_per_step
from experiments.dti.drawing.controls import of_parts
from experiments.dti.drawing.measures import metric
from lab.runs.directory import RunDirectory

CAPTION = (
    "Along the training: Bayes-optimal AUC from a window minus AUC on sliding windows, on the same users, "
    "mean over seeds. Left: against the targets that a model has seen. Middle: against the seconds of the processor "
    "that this took, of all threads. Right: AUC at the end minus the Bayes-optimal one from a window, within each "
    "seed: on sliding windows (filled) and on prompts as in training (open), bars are two standard errors."
)
NEEDS_POINTS = True
SHORT = "short_sliding"  # sliding windows for about the processor time of prompts of many targets


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 3, width=13, height=4)
    targets, times, ends = axes[0]
    draw_along(targets, directory, targets_per_step)
    targets.set(xlabel="targets seen", ylabel="AUC, Bayes from a window - model")
    draw_along(times, directory, _seconds_per_step)
    times.set(xlabel="seconds of the processor")
    draw_ends(ends, directory)
    style.legend(targets)
    return figure


def _seconds_per_step(row: Row) -> float:
    return row.number(Spent.MILLISECONDS) / 1e3


def _seconds(directory: RunDirectory, part: str) -> float:
    """Return the seconds of the processor that the training of one model of a part took."""
    row = spent(directory, part)
    return row.number(Spent.STEPS) * _seconds_per_step(row)


def judge_equal_time(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    devices = {spent(directory, part).text(Spent.DEVICE) for part in (SHORT, "split")}
    if len(devices) > 1:
        raise NotMeasured(f"trained on several devices: {', '.join(sorted(devices))}")
    longer = _seconds(directory, SHORT) / _seconds(directory, "split")
    return [
        above("AUC of the split window - of the sliding window with fewer steps",
              metric(rows, part="split") - metric(rows, part=SHORT)),
        above("processor time of the sliding window with fewer steps / of the split window", exact(longer), 1.0),
    ]  # fmt: skip


CLAIMS = (
    Claim(
        "In equal time of the processor the split window comes nearer to Bayes than sliding windows do.",
        own("derived here from DTI, section 3.5, and the split window, which answers each target from its own"),
        "AUC on sliding windows is above that of a model trained on sliding windows for fewer steps, whose training "
        "took at least as many seconds of the processor",
        judge_equal_time,
        controls=of_parts("split"),
    ),
)
