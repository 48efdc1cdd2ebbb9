"""Training until it has converged: AUC below the Bayes-optimal answer, by targets seen and by processor time [DTI]."""

from analysis.figures.cited import own
from analysis.figures.claim import Claim
from analysis.figures.estimates import exact
from analysis.figures.evidence import Condition, above
from analysis.tables.columns import Table
from analysis.tables.select import NotMeasured, table
from experiments.clicks.dti.drawing.along import LINES_AND_ENDS, draw_by_targets_and_time, seconds_per_step, spent
from experiments.clicks.dti.drawing.controls import of_parts
from experiments.clicks.dti.drawing.measures import metric
from experiments.clicks.tables import Spent
from lab.runs.directory import RunDirectory

CAPTION = LINES_AND_ENDS
NEEDS_POINTS = True
draw = draw_by_targets_and_time
SHORT = "short_sliding"  # sliding windows for about the processor time of prompts of many targets


def _seconds(directory: RunDirectory, part: str) -> float:
    """Return the seconds of the processor that the training of one model of a part took."""
    row = spent(directory, part)
    return row.number(Spent.STEPS) * seconds_per_step(row)


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
