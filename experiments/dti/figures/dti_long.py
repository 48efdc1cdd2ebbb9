"""Trained until losses are flat: do prompts of many targets still lose AUC to sliding windows [DTI]?"""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, above, below
from analysis.tables.columns import Clicks, Table
from analysis.tables.select import table
from experiments.dti.drawing.along import draw_along, draw_ends, targets_per_step
from experiments.dti.drawing.controls import of_parts
from experiments.dti.drawing.measures import SLIDING, STREAMING, metric
from experiments.dti.drawing.packing import claims_of_losses, claims_of_packing
from experiments.dti.drawing.remedies import claims_of_causes, claims_of_remedies, leaks, near, when_converged
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: Bayes-optimal AUC from a window minus AUC on sliding windows, on the same users, against the targets that a "
    "model has seen, mean over seeds. Right: AUC at the end minus the Bayes-optimal one from a window, within each "
    "seed: on sliding windows (filled) and on prompts as in training (open), bars are two standard errors. Parts may "
    "have different numbers of seeds."
)
NEEDS_POINTS = True


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=10, height=3.8)
    curves, ends = axes[0]
    draw_along(curves, directory, targets_per_step)
    curves.set(xlabel="targets seen", ylabel="AUC, Bayes from a window - model")
    draw_ends(ends, directory)
    style.legend(curves)
    return figure


def judge_falls(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    return [below("AUC of DTI- - of the sliding window", metric(rows, part="naive") - metric(rows, part=SLIDING))]


def judge_gap(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    return [above("gap of DTI-", metric(rows, Clicks.GAP_AUC, STREAMING, part="naive"))]


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
    Claim(
        "Trained until it has converged, the split window is as good as the sliding window.",
        own("derived here from the masks, which isolate targets"),
        "prompts of 50 targets: AUC on sliding windows is at most .2% below that of a model trained on them",
        near("split"),
        controls=of_parts("split", SLIDING),
    ),
    Claim(
        "Trained until it has converged, the reset to own encodings is as good as the sliding window.",
        own("derived here from the masks, which isolate targets"),
        "prompts of 50 targets: AUC on sliding windows is at most .2% below that of a model trained on them",
        near("own"),
        controls=of_parts("own", SLIDING),
    ),
    *claims_of_packing(when_converged, "naive", "naive_10"),
    *claims_of_losses(when_converged),
    *claims_of_remedies(when_converged),
    *claims_of_causes(when_converged),
)
