"""Fine-tuned with the settings that `dti_fair` has chosen for each scheme: is DTI as good as sliding windows [DTI]?

Seeds and users are others than those that have chosen.
"""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim, Control
from analysis.figures.evidence import Condition, below
from experiments.clicks.dti.drawing.along import draw_ends
from experiments.clicks.dti.drawing.beside_sliding import claim_of_solutions, claims_beside_sliding
from experiments.clicks.dti.drawing.controls import HALF, use_history
from experiments.clicks.dti.drawing.measures import LABELS, NEAR, SLIDING
from experiments.clicks.dti.drawing.remedies import beside, better, closes_more, inside, near
from lab.runs.directory import RunDirectory

CAPTION = (
    "AUC minus that of the Bayes-optimal answer from a window to the same users: on sliding windows (filled) and on "
    "prompts as in training (open), bars are two standard errors over seeds. Each way of fine-tuning has the settings "
    "that other seeds have chosen for it on other users, and below them twice as many steps."
)
NEEDS_POINTS = True
LONGER = "longer_"  # and the name of a part: the same with twice as many steps


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 1, width=8, height=5)
    draw_ends(axes[0, 0], directory)
    return figure


def no_better_longer(*parts: str) -> Control:
    """Return the control that no part was trained too little: with twice as many steps it is hardly better."""

    def judge(directory: RunDirectory) -> list[Condition]:
        return [
            below(f"AUC of {LABELS[part]}, twice the steps / these - 1", beside(directory, LONGER + part, part), NEAR)
            for part in parts
        ]

    return Control("twice as many steps raise AUC on sliding windows by less than .2%", judge)


def controls_here(*parts: str) -> tuple[Control, ...]:
    """Return the controls that decoders use history, and that none was trained too little."""
    return use_history(HALF, *parts), no_better_longer(*parts)


def _statement(words: str) -> str:
    return f"Fine-tuned with settings chosen for each, {inside(words)}."


CLAIMS = (
    *claims_beside_sliding(_statement, cite_remedies=said, controls=controls_here),
    claim_of_solutions(_statement, said, controls_here),
    Claim(
        _statement("DTI with half as many steps is as good as the sliding window"),
        said(Work.DTI, "abstract and table 1", "without compromising CTR prediction performance"),
        "prompts of 50 targets: with 500 steps and the slope, rate and layers of the reset that are best with these, "
        "AUC on sliding windows is at most .2% below that of a model trained on sliding windows",
        near("fewer"),
        controls=controls_here("fewer", SLIDING),
    ),
    Claim(
        _statement("DTI's remedies make the gap of training and test smaller"),
        said(Work.DTI, "abstract", "to effectively tackle each"),
        "prompts of 50 targets: AUC on prompts as in training minus AUC on sliding windows is larger for DTI- than for "
        "DTI",
        closes_more("dti", "naive"),
        controls=controls_here("dti", "naive"),
    ),
    Claim(
        _statement("DTI is better with a partial reset, or one of the last layer, than with the whole reset"),
        own('derived here from DTI, sections 4.1 and 4.2: "partially interpolate", "slope to be tuned"'),
        "prompts of 50 targets: AUC on sliding windows is above that with ymax = 1 in every layer, whose slope and "
        "rate are chosen in the same way",
        better("dti", "whole"),
        controls=controls_here("dti", "whole"),
    ),
)
