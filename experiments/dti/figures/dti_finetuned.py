"""Fine-tuning a decoder of next tokens on the clicks of few users, on windows or on prompts of many targets [DTI]."""

from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, exact
from analysis.figures.evidence import Condition, above, below
from analysis.figures.measures import negative
from analysis.tables.columns import Clicks, Table
from analysis.tables.select import table
from experiments.dti.drawing.chosen import chosen, options, tuned
from experiments.dti.drawing.measures import LABELS, SLIDING, STREAMING, relative
from experiments.dti.drawing.tuned import better, controls_of, draw_tuned, near
from lab.runs.directory import RunDirectory

CAPTION = (
    "A decoder of next tokens of another world is fine-tuned on the clicks of few users. AUC on sliding windows, one "
    "row per way of fine-tuning. Small: every combination of learning rate and number of steps, on users that choose "
    "among them, mean over the seeds that choose. Large: the chosen one on the test users, mean over the other seeds "
    "with bars of two standard errors; its settings are beside it."
)
NEEDS_POINTS = True
draw = draw_tuned
STEPS = "train.steps"


def judge_falls(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    return [below("AUC of DTI- - of the sliding window, fine-tuned", tuned(rows, "naive") - tuned(rows, SLIDING))]


def judge_gap(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    return [above("gap of DTI-, fine-tuned", tuned(rows, "naive", Clicks.GAP_AUC, STREAMING))]


def judge_sharper(directory: RunDirectory) -> list[Condition]:
    """Compare losses relative to the sliding window's numbers, as the source compares AUC."""
    rows = table(directory, Table.CLICKS)

    def change(name: str) -> Estimate:
        return relative(tuned(rows, "naive", name), tuned(rows, SLIDING, name))

    lost = negative(change(Clicks.AUC))
    return [
        above("rise of log loss - loss of AUC, relative", change(Clicks.LOG_LOSS) - lost),
        above("loss of F1 - of AUC, relative", negative(change(Clicks.F1)) - lost),
    ]


def controls_here(*parts: str) -> tuple[Control, ...]:
    """Return the controls that the chosen decoders use history, and that no part was trained too little."""
    (used, _) = controls_of(*parts)

    def enough_steps(directory: RunDirectory) -> list[Condition]:
        rows, conditions = table(directory, Table.CLICKS), []
        for part in parts:
            (place, _), tried = chosen(rows, part), options(rows, part)
            most = max(dict(each)[STEPS] for each in tried)
            longer = exact(most / dict(place)[STEPS])
            conditions.append(above(f"{LABELS[part]}: most steps that were tried / steps that are best", longer, 1.0))
        return conditions

    return used, Control("on other users the largest number of steps is not the best", enough_steps)


CLAIMS = (
    Claim(
        "Fine-tuned from a decoder of next tokens, DTI- is below the sliding window.",
        said(Work.DTI, "section 5.2 and table 1", "consistently decreases"),
        "prompts of 50 targets, rate and number of steps of both chosen on other users by half of the seeds: AUC on "
        "sliding windows of the test users is below that of the sliding window, over the other seeds",
        judge_falls,
        controls=controls_here("naive", SLIDING),
    ),
    Claim(
        "Fine-tuned from a decoder of next tokens, DTI- loses more of log loss and F1 than of AUC.",
        said(Work.DTI, "section 5.2", "a sharper degradation in both Log Loss and F1 Score"),
        "log loss on sliding windows of the test users rises, and F1 falls, by a larger share of the sliding window's "
        "than AUC falls",
        judge_sharper,
        controls=controls_here("naive", SLIDING),
    ),
    Claim(
        "Fine-tuned from a decoder of next tokens, DTI is as good as the sliding window.",
        said(Work.DTI, "abstract and table 1", "without compromising CTR prediction performance"),
        "AUC on sliding windows of the test users is at most .2% below that of the sliding window, with rate and "
        "number of steps of both chosen in the same way",
        near("dti"),
        controls=controls_here("dti", SLIDING),
    ),
    Claim(
        "Fine-tuned from a decoder of next tokens, DTI is better than DTI-.",
        said(Work.DTI, "section 5.2 and table 1", "the proposed solutions for the two bottlenecks are effective"),
        "AUC on sliding windows of the test users is above that of DTI-, with rate and number of steps of both chosen "
        "in the same way",
        better("dti", "naive"),
        controls=controls_here("dti", "naive"),
    ),
    Claim(
        "Fine-tuned from a decoder of next tokens, DTI- is worse on sliding windows than on prompts as in training.",
        said(Work.DTI, "section 5.2", "a stronger discrepancy between training and inference"),
        "AUC on prompts as in training minus AUC on sliding windows of the test users is above 0",
        judge_gap,
        controls=controls_here("naive"),
    ),
    Claim(
        "Fine-tuned from a decoder of next tokens, the split window is as good as the sliding window.",
        own("derived here from the masks, which isolate targets"),
        "AUC on sliding windows of the test users is at most .2% below that of the sliding window, with rate and "
        "number of steps of both chosen in the same way",
        near("split"),
        controls=controls_here("split", SLIDING),
    ),
    Claim(
        "A decoder of next tokens of another world is a better start than an untrained one.",
        own("derived here from DTI, section 5.1: a language model is fine-tuned"),
        "DTI-, rate and number of steps of both chosen in the same way: AUC on sliding windows of the test users is "
        "above that of decoders that started untrained",
        better("naive", "untrained"),
        controls=controls_here("naive"),
    ),
)
