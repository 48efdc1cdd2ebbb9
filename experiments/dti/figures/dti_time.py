"""Training time until convergence, of prompts of many targets and of sliding windows [DTI, section 5.3 and table 3]."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, combine
from analysis.figures.evidence import Condition, above, below
from analysis.tables.columns import Spent, Table
from analysis.tables.select import NotMeasured, distinct, rows_where, table
from experiments.dti.drawing.along import COLOURS, seconds_per_step
from experiments.dti.drawing.controls import HALF, use_history
from experiments.dti.drawing.measures import BEST, LABELS, SLIDING, metric, relative
from experiments.dti.drawing.remedies import Judge
from lab.runs.directory import RunDirectory

CAPTION = (
    "Trainings of 125, 250, 500, ... steps, each with a schedule of its own. Left: by how much AUC on sliding windows "
    "is below that of the Bayes-optimal answer from a window, as a share of it, against the seconds of the processor "
    "that the training of a model took, of all threads; mean over seeds with bars of two standard errors. The dashed "
    "line is where a training counts as converged. Right: the seconds until then, one point per seed, and the mean."
)
NEEDS_POINTS = True
STEPS = "train.steps"
CONVERGED = 0.005  # the share of the best AUC that a converged model may lack; 2.5 times the largest loss of table 1
SHARE = 0.66  # of the gain nk/(n + k) in time: 7.97 of 12 on Amazon CDs with k = 30, the smallest share in table 3
WINDOW, TARGETS = 10, 50  # n and k of `dti_time`
GAIN = WINDOW * TARGETS / (WINDOW + TARGETS)


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=9, height=3.6)
    lines, times = axes[0]
    parts = [part for part in LABELS if part in distinct(table(directory, Table.CLICKS), "part")]
    for place, (part, color) in enumerate(zip(parts, COLOURS, strict=False)):
        lacking = [lacks for lacks, _ in by_seconds(directory, part)]
        seconds = [each for _, each in by_seconds(directory, part)]
        errors = [2 * each.stderr if len(each.by_seed) > 1 else 0.0 for each in lacking]
        lines.errorbar(seconds, [each.mean for each in lacking], errors, fmt="-o", color=color, label=LABELS[part])
        _draw_times(times, directory, part, -place, color)
    lines.axhline(CONVERGED, color="#555555", linestyle="--")
    lines.set(xscale="log", yscale="log", xlabel="seconds of the processor", ylabel="share of AUC below Bayes")
    times.set(xscale="log", xlabel=f"seconds until AUC is within {100 * CONVERGED:g}% of Bayes")
    times.set_yticks([-place for place in range(len(parts))], [LABELS[part] for part in parts])
    style.legend(lines)
    return figure


def _draw_times(panel: Axes, directory: RunDirectory, part: str, height: float, color: str) -> None:
    try:
        until = seconds_until_converged(directory, part)
    except NotMeasured:
        return
    panel.plot([*until.by_seed.values()], [height] * len(until.by_seed), "o", mfc="none", color=color)
    panel.plot([until.mean] * 2, [height - 0.25, height + 0.25], color=color)


def by_seconds(directory: RunDirectory, part: str) -> list[tuple[Estimate, float]]:
    """Return what the trainings of a part lack and what they took, shortest first.

    Returns:
        Of each training: 1 - AUC on sliding windows / that of the Bayes-optimal answer from a window, by seed, and the
        seconds of the processor that the training of one model took.

    Raises:
        NotMeasured: the parts were trained on several devices.
    """
    clicks = rows_where(table(directory, Table.CLICKS), {"part": part})
    spent = table(directory, Table.SPENT)
    devices = {row.text(Spent.DEVICE) for row in spent}
    if len(devices) > 1:
        raise NotMeasured(f"trained on several devices: {', '.join(sorted(devices))}")
    spent = rows_where(spent, {"part": part})
    # A step of any of these trainings is the same program, and the longest one measures it best.
    step = seconds_per_step(max(spent, key=lambda row: row.number(Spent.STEPS)))
    trainings = []
    for steps in sorted(row.number(STEPS) for row in spent):
        rows = rows_where(clicks, {STEPS: steps})
        lacks = relative(metric(rows), metric(rows, answers=BEST))
        trainings.append((combine(lambda share: -share, lacks), steps * step))
    return trainings


def seconds_until_converged(directory: RunDirectory, part: str) -> Estimate:
    """Return the seconds of the processor of the shortest training of one model that ends within `CONVERGED`, by seed.

    Between two trainings what is lacking is taken as a line in the logarithm of the time.

    Raises:
        NotMeasured: a seed is that near in the shortest training already, or in none.
    """
    trainings = by_seconds(directory, part)
    seeds = set.intersection(*(set(lacks.by_seed) for lacks, _ in trainings))
    seconds = {}
    for seed in sorted(seeds):
        lacking = [lacks.by_seed[seed] for lacks, _ in trainings]
        first = next((place for place, each in enumerate(lacking) if each <= CONVERGED), None)
        if not first:
            which = "no" if first is None else "the shortest"
            raise NotMeasured(f"{LABELS[part]}, seed {seed:g}: converged in {which} training")
        (_, shorter), (_, longer) = trainings[first - 1 : first + 1]
        share = (lacking[first - 1] - CONVERGED) / (lacking[first - 1] - lacking[first])
        seconds[seed] = shorter * (longer / shorter) ** share
    return Estimate(seconds)


def _share_of_time(directory: RunDirectory, part: str, other: str) -> Estimate:
    return seconds_until_converged(directory, part) / seconds_until_converged(directory, other)


def takes_less(part: str, other: str) -> Judge:
    """Return a judge of whether the training of a part converges in less time of the processor than that of another."""

    def judge(directory: RunDirectory) -> list[Condition]:
        share = _share_of_time(directory, part, other)
        return [below(f"seconds until convergence, {LABELS[part]} / {LABELS[other]}", share, 1.0)]

    return judge


def judge_gain(directory: RunDirectory) -> list[Condition]:
    gain = _share_of_time(directory, SLIDING, "dti")
    share = combine(lambda each: each / GAIN, gain)
    return [above("gain in time until convergence / nk/(n + k)", share, SHARE)]


def of_longest(*parts: str) -> tuple[Control, ...]:
    """Return the control that in the longest training of each part decoders use half of what a window tells."""

    def judge(directory: RunDirectory) -> list[Condition]:
        conditions = []
        for part in parts:
            spent = rows_where(table(directory, Table.SPENT), {"part": part})
            longest = max(row.number(STEPS) for row in spent)
            conditions += use_history(HALF, part, **{STEPS: longest}).judge(directory)
        return conditions

    return (Control(use_history(HALF, *parts).name, judge),)


CLAIMS = (
    Claim(
        "DTI converges in less training time than sliding windows.",
        said(Work.DTI, "abstract", "reduces the LLM's training time until convergence"),
        "prompts of 50 targets: the seconds of the processor of the shortest training that ends with an AUC on sliding "
        "windows within .5% of the Bayes-optimal answer's from a window, over those of sliding windows, are below 1",
        takes_less("dti", SLIDING),
        controls=of_longest("dti", SLIDING),
    ),
    Claim(
        "The time until convergence falls by as much as the source's formula says.",
        said(Work.DTI, "section 5.3 and table 3", "aligns well with the calculated FLOPs reduction"),
        "prompts of 50 targets, window of 10: those seconds of sliding windows over those of DTI are at least .66 of "
        "nk/(n + k), the smallest share in table 3",
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
