"""Prompts of many targets against sliding windows [DTI]: AUC, log loss and F1 by the number of targets."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import line, mean_over_seeds
from analysis.tables.columns import Seeds, Table
from analysis.tables.select import Row, distinct, group_by, rows_where, table
from experiments.clicks.dti.results import LABELS
from experiments.clicks.dti.results.schemes import CLAIMS as CLAIMS
from experiments.clicks.tables import SLIDING, STREAMING, Clicks
from lab.runs.directory import RunDirectory

CAPTION = (
    "By the number of targets of a training prompt, mean over the seeds that all have; bars are two standard errors. "
    "AUC, log loss and F1 are on sliding windows, as a model is used; the sliding window is trained so too (one "
    "target). Lines: "
    "Bayes-optimal answers from a window and from all history. Right: the AUC of a model on prompts as in training, "
    "minus its AUC on sliding windows."
)
NEEDS_POINTS = True
METRICS = {Clicks.AUC: "AUC", Clicks.LOG_LOSS: "log loss (nats)", Clicks.F1: "F1"}
LOOKS = {"naive": ("#D55E00", "-o"), "dti": ("#0072B2", "-s"), "split": ("#009E73", ":^")}


def draw(directory: RunDirectory) -> Figure:
    rows = _of_common_seeds(table(directory, Table.CLICKS))
    looks = {part: each for part, each in LOOKS.items() if part in distinct(rows, "part")}
    figure, axes = style.panels(1, 4, width=13, height=3.6)
    *metrics, gaps = axes[0]
    for panel, (name, label) in zip(metrics, METRICS.items(), strict=True):
        for part, (color, look) in looks.items():
            with_one = rows_where(rows, {"part": SLIDING}) + rows_where(rows, {"part": part})
            chosen = rows_where(with_one, {Clicks.ANSWERS: SLIDING})
            line(panel, chosen, Clicks.TARGETS, name, fmt=look, color=color, label=LABELS[part])
        for answers, dashes, words in (("bayes_window", "--", "Bayes, window"), ("bayes_all", ":", "Bayes, all")):
            level = mean_over_seeds(rows_where(rows, {"part": SLIDING, Clicks.ANSWERS: answers}), name)[0]
            if name != Clicks.F1:
                panel.axhline(level, color="#555555", linestyle=dashes, label=words)
        panel.set(ylabel=label)
    for part, (color, look) in looks.items():
        chosen = rows_where(rows, {"part": part, Clicks.ANSWERS: STREAMING})
        line(gaps, chosen, Clicks.TARGETS, Clicks.GAP_AUC, fmt=look, color=color, label=LABELS[part])
    gaps.axhline(0, color="#999999", linewidth=0.8)
    gaps.set(ylabel="AUC, as trained - sliding")
    for panel in axes[0]:
        panel.set(xlabel="targets of a prompt")
        counts = [int(count) for count in distinct(rows, Clicks.TARGETS)]
        panel.set_xticks(counts, [str(count) for count in counts])
    style.legend(*axes[0])
    return figure


def _of_common_seeds(rows: list[Row]) -> list[Row]:
    """Return the rows of the seeds that every part has; a seed has users of its own, who differ more than parts do."""
    seeds = set.intersection(*(set(distinct(part, Seeds.SEED)) for part in group_by(rows, "part").values()))
    return [row for row in rows if row[Seeds.SEED] in seeds]
