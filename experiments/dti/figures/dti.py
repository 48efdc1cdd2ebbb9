"""Prompts of many targets against sliding windows [DTI]: AUC, log loss and F1 by the number of targets."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, said
from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate
from analysis.figures.evidence import Condition, above, below
from analysis.figures.measures import mean_over_seeds, negative
from analysis.tables.columns import Clicks, Table
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.dti.drawing.controls import of_parts
from experiments.dti.drawing.measures import LABELS, NEAR, SLIDING, STREAMING, by_targets, metric, relative, slope
from lab.runs.directory import RunDirectory

CAPTION = (
    "By the number of targets of a training prompt, mean over seeds; bars are two standard errors. AUC, log loss and "
    "F1 are on sliding windows, as a model is used; the sliding window is trained so too (one target). Lines: "
    "Bayes-optimal answers from a window and from all history. Right: the AUC of a model on prompts as in training, "
    "minus its AUC on sliding windows."
)
NEEDS_POINTS = True
LOOKS = {"naive": ("#D55E00", "-o"), "dti": ("#0072B2", "-s")}
LOG_LOSS_NEAR, F1_NEAR = 0.0043, 0.0059  # the largest differences of DTI from the sliding window in DTI's table 1
METRICS = {Clicks.AUC: "AUC", Clicks.LOG_LOSS: "log loss (nats)", Clicks.F1: "F1"}


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, Table.CLICKS)
    figure, axes = style.panels(1, 4, width=13, height=3.6)
    *metrics, gaps = axes[0]
    for panel, (name, label) in zip(metrics, METRICS.items(), strict=True):
        for part, (color, line) in LOOKS.items():
            with_one = rows_where(rows, {"part": SLIDING}) + rows_where(rows, {"part": part})
            _line(panel, rows_where(with_one, {Clicks.ANSWERS: SLIDING}), name, color, line, LABELS[part])
        for answers, dashes, words in (("bayes_window", "--", "Bayes, window"), ("bayes_all", ":", "Bayes, all")):
            level = mean_over_seeds(rows_where(rows, {"part": SLIDING, Clicks.ANSWERS: answers}), name)[0]
            if name != Clicks.F1:
                panel.axhline(level, color="#555555", linestyle=dashes, label=words)
        panel.set(ylabel=label)
    for part, (color, line) in LOOKS.items():
        _line(
            gaps, rows_where(rows, {"part": part, Clicks.ANSWERS: STREAMING}), Clicks.GAP_AUC, color, line, LABELS[part]
        )
    gaps.axhline(0, color="#999999", linewidth=0.8)
    gaps.set(ylabel="AUC, as trained - sliding")
    for panel in axes[0]:
        panel.set(xlabel="targets of a prompt", xscale="log")
        counts = [int(count) for count in distinct(rows, Clicks.TARGETS)]
        panel.set_xticks(counts, [str(count) for count in counts])
        panel.minorticks_off()
    style.legend(*axes[0])
    return figure


def _line(panel: Axes, rows: list[Row], column: str, color: str, line: str, label: str) -> None:
    counts = distinct(rows, Clicks.TARGETS)
    by_count = [mean_over_seeds(rows_where(rows, {Clicks.TARGETS: count}), column) for count in counts]
    means, errors = np.transpose(by_count)
    panel.errorbar(counts, means, errors, fmt=line, color=color, capsize=2, label=label)


def judge_falls(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    aucs = _sliding(rows) | by_targets(rows_where(rows, {"part": "naive"}))
    most = max(aucs)
    return [
        below("slope of AUC against log targets", slope(aucs)),
        below(f"AUC with {most:g} targets - with one", aucs[most] - aucs[1.0]),
    ]


def judge_near(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    reference = _sliding(rows)[1.0]
    return [
        above(f"AUC with {count:g} targets / of the sliding window - 1", relative(each, reference), -NEAR)
        for count, each in by_targets(rows_where(rows, {"part": "dti"})).items()
    ]


def judge_log_loss(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    reference = metric(rows, Clicks.LOG_LOSS, part=SLIDING)
    return [
        below(f"log loss with {count:g} targets - of the sliding window", each - reference, LOG_LOSS_NEAR)
        for count, each in by_targets(rows_where(rows, {"part": "dti"}), Clicks.LOG_LOSS).items()
    ]


def judge_f1(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    reference = metric(rows, Clicks.F1, part=SLIDING)
    return [
        above(f"F1 with {count:g} targets - of the sliding window", each - reference, -F1_NEAR)
        for count, each in by_targets(rows_where(rows, {"part": "dti"}), Clicks.F1).items()
    ]


def judge_sharper(directory: RunDirectory) -> list[Condition]:
    """Compare losses relative to the sliding window's numbers, as the source compares AUC."""
    rows = table(directory, Table.CLICKS)
    most = max(distinct(rows_where(rows, {"part": "naive"}), Clicks.TARGETS))

    def lost(name: str) -> Estimate:
        number = metric(rows, name, part="naive", targets=most)
        change = relative(number, metric(rows, name, part=SLIDING))
        return change if name == Clicks.LOG_LOSS else negative(change)

    return [
        above(f"loss of {METRICS[name]} - of AUC, relative, {most:g} targets", lost(name) - lost(Clicks.AUC))
        for name in (Clicks.LOG_LOSS, Clicks.F1)
    ]


def judge_gap(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.CLICKS), {"part": "naive"})
    gaps = by_targets(rows, Clicks.GAP_AUC, STREAMING)
    return [
        above("slope of the gap against log targets", slope(gaps)),
        above(f"gap with {max(gaps):g} targets", gaps[max(gaps)]),
    ]


def _sliding(rows: list[Row]) -> dict[float, Estimate]:
    return by_targets(rows_where(rows, {"part": SLIDING}))


CLAIMS = (
    Claim(
        "With streaming prompts alone (DTI-) performance falls with the number of targets.",
        said(Work.DTI, "section 5.2 and table 1", "consistently decreases"),
        "AUC on sliding windows against the logarithm of the number of targets, from 1 to the most: its slope is below "
        "0, and so is the difference of the ends",
        judge_falls,
    ),
    Claim(
        "Log loss and F1 fall more sharply than AUC.",
        said(Work.DTI, "section 5.2", "a sharper degradation in both Log Loss and F1 Score"),
        "DTI- with the most targets, on sliding windows: log loss rises, and F1 falls, by a larger share of the "
        "sliding window's than AUC falls",
        judge_sharper,
    ),
    Claim(
        "DTI is as good as the sliding window.",
        said(Work.DTI, "abstract and table 1", "without compromising CTR prediction performance"),
        "for every number of targets AUC on sliding windows is at most .2% below that of the sliding window; the "
        "largest loss in table 1 is .17%",
        judge_near,
        controls=of_parts(SLIDING, "dti"),
    ),
    Claim(
        "DTI's log loss is not worse than the sliding window's.",
        said(Work.DTI, "abstract and table 1", "without compromising CTR prediction performance"),
        "for every number of targets log loss on sliding windows is at most .0043 above that of the sliding window, "
        "the largest difference in table 1",
        judge_log_loss,
        controls=of_parts(SLIDING, "dti"),
    ),
    Claim(
        "DTI's F1 is not worse than the sliding window's.",
        said(Work.DTI, "abstract and table 1", "without compromising CTR prediction performance"),
        "for every number of targets F1 on sliding windows is at most .0059 below that of the sliding window, the "
        "largest difference in table 1",
        judge_f1,
        controls=of_parts(SLIDING, "dti"),
    ),
    Claim(
        "What is lost is a mismatch of training and test, which grows with the number of targets.",
        said(Work.DTI, "section 5.2", "a stronger discrepancy between training and inference"),
        "DTI-: AUC on prompts as in training minus AUC on sliding windows, of the same model: its slope against the "
        "logarithm of the number of targets is above 0, and so is its value at the most targets",
        judge_gap,
    ),
)
CONTROLS = of_parts(SLIDING, "naive")
