"""A decoder of functions, trained with and without a curriculum: losses on whole prompts, and errors at the end."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.evidence import Condition, below
from analysis.figures.prefixes import SUBJECT, error, over_seeds, relative, width
from analysis.tables.columns import ByExamples, Curves, Table
from analysis.tables.select import distinct, rows_where, table
from experiments.functions.functions.controls import CONTROLS as CONTROLS
from experiments.functions.functions.controls import LEARNED
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: loss on whole prompts with all inputs, mean over all numbers of examples, against the training step. Right: "
    "squared error divided by that of the answer 0 at the end, against the number of examples. With the curriculum "
    "training begins with few inputs and few examples, and both grow; decoders of one seed have the same initial "
    "weights and random numbers. Means over seeds, bands one standard deviation; wide and pale: least squares."
)
NEEDS_POINTS = True
BANDS = True
PARTS = {"whole": ("whole prompts from the start", "#E69F00"), "growing": ("curriculum", "#332288")}  # label, colour
REFERENCE = "least_squares"


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=10, height=3.8)
    training, final = axes[0]
    curves, seeds = table(directory, Table.CURVES), table(directory, Table.SEEDS)
    counts, means, _ = over_seeds(rows_where(seeds, {"part": "whole", ByExamples.LEARNER: REFERENCE}), ByExamples.ERROR)
    final.plot(counts, means, color="#777777", label="least squares", **style.WIDE)
    for part, (label, color) in PARTS.items():
        style.band(training, rows_where(curves, {"part": part}), f"loss.{SUBJECT}", label, color, "-")
        counts, means, spreads = over_seeds(
            rows_where(seeds, {"part": part, ByExamples.LEARNER: SUBJECT}), ByExamples.ERROR
        )
        final.errorbar(counts, means, spreads, color=color, label=label, capsize=2)
    training.set(xlabel="training step", ylabel="1/2 squared error, mean over prefixes")
    final.set(xlabel="examples in the context", ylabel="squared error / E f²", ylim=(3e-3, 3))
    for panel in (training, final):
        style.log(panel)
    style.legend(*axes[0])
    return figure


def _loss(directory: RunDirectory, part: str, share: float) -> Estimate:
    """Return the loss of a part at the evaluation that is nearest to a share of the steps."""
    rows = rows_where(table(directory, Table.CURVES), {"part": part})
    steps = distinct(rows, Curves.STEP)
    nearest = min(steps, key=lambda step: abs(step - share * steps[-1]))
    return estimate(rows_where(rows, {Curves.STEP: nearest}), f"loss.{SUBJECT}")


def judge_faster(directory: RunDirectory) -> list[Condition]:
    return [
        below(
            f"after {share:g} of the steps: loss with the curriculum / without it - 1",
            relative(_loss(directory, "growing", share), _loss(directory, "whole", share)),
        )
        for share in (0.5, 0.75)
    ]


def judge_end(directory: RunDirectory) -> list[Condition]:
    rows, d = table(directory, Table.SEEDS), width(directory)
    growing, whole = (error(rows_where(rows, {"part": part}), SUBJECT, d) for part in ("growing", "whole"))
    return [below(f"error after {d} examples with the curriculum / without it - 1", relative(growing, whole), 0.1)]


FASTER = Claim(
    "A curriculum speeds training up.",
    said(Work.GARG22, "section on what matters for in-context learning, curriculum"),
    "at half and at three quarters of the steps the loss on whole prompts is below that of training without one",
    judge_faster,
    controls=(LEARNED,),
)
AT_END = Claim(
    "It costs nothing in the end.",
    own("derived here from Garg et al. 2022, curriculum"),
    "error after d examples at most 10% above that of training without one",
    judge_end,
)
CLAIMS = (FASTER, AT_END)
