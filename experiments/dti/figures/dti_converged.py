"""Training until it has converged: AUC below the Bayes-optimal answer, by targets seen and by processor time [DTI]."""

import itertools

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from analysis.figures.estimates import exact
from analysis.figures.evidence import Condition, above, below
from analysis.tables.columns import Clicks, Curves, Spent, Table
from analysis.tables.select import NotMeasured, Row, distinct, rows_where, table
from experiments.dti.drawing.controls import of_parts
from experiments.dti.drawing.measures import LABELS, SLIDING, STREAMING, metric
from experiments.dti.drawing.parts import draw_parts
from experiments.dti.drawing.remedies import claims_of_causes, claims_of_remedies, leaks, near
from lab.runs.directory import RunDirectory

CAPTION = (
    "Along the training: Bayes-optimal AUC from a window minus AUC on sliding windows, on the same users, "
    "mean over seeds. Left: against the targets that a model has seen. Middle: against the seconds of the processor "
    "that this took, of all threads. Right: AUC at the end on sliding windows (filled) and on prompts as in training "
    "(open), bars are two standard errors; the dashed line is the Bayes-optimal answer from a window."
)
NEEDS_POINTS = True
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#777777")
SHORT = "short_sliding"  # sliding windows for about the processor time of prompts of many targets
BEST = "bayes_window"


def draw(directory: RunDirectory) -> Figure:
    curves, clicks = table(directory, Table.CURVES), table(directory, Table.CLICKS)
    figure, axes = style.panels(1, 3, width=13, height=4)
    targets, times, ends = axes[0]
    parts = distinct(clicks, "part")
    for part, color in zip(parts, itertools.cycle(COLOURS)):
        of_part = rows_where(curves, {"part": part})
        spent = _spent(directory, str(part))
        steps, below_best = _below(of_part)
        label = LABELS[str(part)]
        _line(targets, steps * spent.number(Spent.PER_STEP), below_best, color, label)
        _line(times, steps * spent.number(Spent.MILLISECONDS) / 1e3, below_best, color, label)
    for panel in (targets, times):
        panel.axhline(0, color="#999999", linewidth=0.8)
    targets.set(xlabel="targets seen", ylabel="AUC, Bayes from a window - model")
    times.set(xlabel="seconds of the processor")
    names = [str(part) for part in parts]
    draw_parts(ends, clicks, names, names)
    best = metric(rows_where(clicks, {"part": parts[0]}), answers=BEST)
    ends.axvline(best.mean, color="#555555", linestyle="--")
    style.legend(targets)
    return figure


def _line(panel: Axes, values: np.ndarray, below_best: np.ndarray, color: str, label: str) -> None:
    panel.plot(values, below_best, "-", color=color, label=label)
    panel.set(xscale="log")


def _below(rows: list[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Return the steps of a part's curves after the first, and by how much AUC is below the best, means over seeds."""
    steps = [step for step in distinct(rows, Curves.STEP) if isinstance(step, float) and step > 0]
    lacking = [
        np.mean([row.number(f"auc.{BEST}") - row.number(f"auc.{SLIDING}") for row in rows_where(rows, {"step": step})])
        for step in steps
    ]
    return np.array(steps), np.array(lacking)


def _spent(directory: RunDirectory, part: str) -> Row:
    rows = rows_where(table(directory, Table.SPENT), {"part": part})
    if len(rows) != 1:
        raise NotMeasured(f"{part}: {len(rows)} runs")
    return rows[0]


def _seconds(directory: RunDirectory, part: str) -> float:
    """Return the seconds of the processor that the training of one model of a part took."""
    row = _spent(directory, part)
    return row.number(Spent.STEPS) * row.number(Spent.MILLISECONDS) / 1e3


def judge_falls(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    return [below("AUC of DTI- - of the sliding window", metric(rows, part="naive") - metric(rows, part=SLIDING))]


def judge_gap(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    return [above("gap of DTI-", metric(rows, Clicks.GAP_AUC, STREAMING, part="naive"))]


def judge_equal_time(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    longer = _seconds(directory, SHORT) / _seconds(directory, "split")
    return [
        above("AUC of the split window - of the sliding window with fewer steps",
              metric(rows, part="split") - metric(rows, part=SHORT)),
        above("processor time of the sliding window with fewer steps / of the split window", exact(longer), 1.0),
    ]  # fmt: skip


def _when_converged(words: str) -> str:
    return f"Trained until it has converged, {words[0].lower()}{words[1:]}."


CLAIMS = (
    Claim(
        "Trained until it has converged, DTI- is below the sliding window.",
        said(Work.DTI, "section 5.2 and table 1", "consistently decreases"),
        "prompts of 50 targets: AUC on sliding windows is below that of a model trained on sliding windows",
        judge_falls,
        controls=of_parts("naive", SLIDING),
    ),
    Claim(
        "Trained until it has converged, DTI is as good as the sliding window.",
        said(Work.DTI, "abstract and table 1", "without compromising CTR prediction performance"),
        "prompts of 50 targets: AUC on sliding windows is at most .2% below that of a model trained on sliding windows",
        near("dti"),
        controls=of_parts("dti", SLIDING),
    ),
    Claim(
        "Trained until it has converged, DTI- is worse on sliding windows than on prompts as in training.",
        said(Work.DTI, "section 5.2", "a stronger discrepancy between training and inference"),
        "prompts of 50 targets: AUC on prompts as in training is above that of the same model on sliding windows",
        judge_gap,
        controls=of_parts("naive"),
    ),
    Claim(
        "DTI- learns to use interactions from before its window.",
        own("derived here from DTI, section 4.1: nothing that sees a window alone can be better than Bayes from it"),
        "prompts of 50 targets: AUC on prompts as in training is above that of the Bayes-optimal answer from a window",
        leaks("naive"),
        controls=of_parts("naive"),
    ),
    *(
        Claim(
            f"Trained until it has converged, {words} is as good as the sliding window.",
            own("derived here from the masks, which isolate targets"),
            "prompts of 50 targets: AUC on sliding windows is at most .2% below that of a model trained on them",
            near(part),
            controls=of_parts(part, SLIDING),
        )
        for part, words in (("split", "the split window"), ("own", "the reset to own encodings"))
    ),
    *claims_of_remedies(_when_converged),
    *claims_of_causes(_when_converged),
    Claim(
        "In equal time of the processor the split window comes nearer to Bayes than sliding windows do.",
        own("derived here from DTI, section 3.5, and the split window, which answers each target from its own"),
        "AUC on sliding windows is above that of a model trained on sliding windows for fewer steps, whose training "
        "took at least as many seconds of the processor",
        judge_equal_time,
        controls=of_parts("split"),
    ),
)
