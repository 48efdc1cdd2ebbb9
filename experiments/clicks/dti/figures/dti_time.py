"""Training time until convergence, of prompts of many targets and of sliding windows [DTI, section 5.3 and table 3]."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, stronger
from analysis.figures.claim import Claim
from analysis.figures.estimates import combine
from analysis.figures.evidence import Condition, above
from analysis.tables.columns import Table
from analysis.tables.select import NotMeasured, distinct, rows_where, table
from experiments.clicks.dti.drawing.along import COLOURS
from experiments.clicks.dti.drawing.convergence import (
    CONVERGED,
    of_longest,
    ratio_of_times,
    seconds_until_converged,
    takes_less,
    trainings_of,
)
from experiments.clicks.dti.drawing.measures import LABELS, SLIDING
from experiments.clicks.tables import Spent
from lab.runs.directory import RunDirectory

CAPTION = (
    "Trainings of 125, 250, 500, ... steps, each with a schedule of its own. Left: by how much AUC on sliding windows "
    "is below that of the Bayes-optimal answer from a window, as a share of it, against the seconds of the processor "
    "that the training of a model took, of all threads; mean over seeds with bars of two standard errors. The dashed "
    "line is where a training counts as converged. Right: the seconds until then, one point per seed, and the mean."
)
NEEDS_POINTS = True
WINDOW = 10  # n of `dti_time`
SHARE = 0.77  # of the gain nk/(n + k), in time: 37.84h / 3.42h of 14.3, the smallest with k = 50 in table 3


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


def judge_gain(directory: RunDirectory) -> list[Condition]:
    """Compare the gain in time with nk/(n + k), of the targets k of a prompt and a window of n = 10."""
    counts = {row.number(Spent.TARGETS) for row in rows_where(table(directory, Table.SPENT), {"part": "dti"})}
    if len(counts) != 1:
        raise NotMeasured("DTI has no number of targets, or several")
    (targets,) = counts
    formula = WINDOW * targets / (WINDOW + targets)
    share = combine(lambda ratio: ratio / formula, ratio_of_times(directory, SLIDING, "dti"))
    return [above("gain in time until convergence / nk/(n + k)", share, SHARE)]


# The source does not say when a training has converged; the half percent, and time of the processor, are this lab's.
CLAIMS = (
    Claim(
        "DTI converges in less training time than sliding windows.",
        stronger(Work.DTI, "section 1, contributions", "reduces the LLM's training time until convergence"),
        "prompts of 50 targets: the seconds of the processor after which AUC on sliding windows is within .5% of the "
        "Bayes-optimal answer's from a window, between those of trainings of several lengths, over the same of sliding "
        "windows are below 1",
        takes_less("dti", SLIDING),
        controls=of_longest("dti", SLIDING),
    ),
    Claim(
        "The time until convergence falls by as much as the source's formula says.",
        stronger(Work.DTI, "section 5.3 and table 3", "aligns well with the calculated FLOPs reduction"),
        "prompts of 50 targets, window of 10: those seconds of sliding windows over those of DTI are at least .77 of "
        "nk/(n + k), the smallest share with 50 targets in table 3",
        judge_gain,
        controls=of_longest("dti", SLIDING),
    ),
    Claim(
        "The split window converges in less training time than sliding windows.",
        own("derived here from DTI, section 3.5, and the masks, which isolate targets"),
        "the same of the split window",
        takes_less("split", SLIDING),
        controls=of_longest("split", SLIDING),
    ),
    Claim(
        "The split window converges in less training time than DTI.",
        own("derived here from the masks, which isolate targets"),
        "the same seconds of the split window over those of DTI are below 1",
        takes_less("split", "dti"),
        controls=of_longest("split", "dti"),
    ),
)
