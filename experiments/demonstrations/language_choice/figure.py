"""Choosing a set of demonstrations for a language model: Effect_D [LRGD], accuracy and log-loss on validation rows."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.choice import better_than, draw_choice, helps, learned_from_sets, leaves_room
from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim, Control
from analysis.figures.evidence import Condition
from analysis.tables.select import table
from experiments.demonstrations.language_choice.columns import Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Mean over draws of sets and validation rows; bars and bands are two standard errors over draws. Left: accuracy on "
    "the test rows with the set of demonstrations that is the best by each score, against the number of validation "
    "rows; below, a random set; above, the set that is the best on the test rows themselves. Middle: Spearman's "
    "correlation, over the sets of a draw, of a score with test accuracy. Right: Effect_D of the set that it chooses, "
    "on the validation and on the test rows."
)


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 3, width=12, height=3.8)
    draw_choice(axes[0], table(directory, Table.CHOICE), table(directory, Table.BOUNDS))
    style.legend(*axes[0])
    return figure


def judge_learned(directory: RunDirectory) -> list[Condition]:
    return [learned_from_sets(table(directory, Table.BOUNDS))]


ROOM = "there are answers to put right"
CONTROLS = (Control("the language model learns from demonstrations", judge_learned),)
CLAIMS = (
    Claim(
        statement="Demonstrations with a higher Effect_D on validation rows give a language model a higher accuracy on "
        "test rows.",
        source=said(Work.LRGD, "section 3.4", "implies better generalization performance on the test set"),
        criterion="Spearman's correlation above 0, and the chosen set above a random one, at every number of "
        "validation rows",
        judge=helps(Table.CHOICE),
    ),
    Claim(
        statement="Effect_D chooses better demonstrations for a language model than accuracy on the same rows.",
        source=own("derived here from LRGD, section 3.4"),
        criterion="test accuracy with the chosen set is higher, in the mean over the numbers of validation rows",
        judge=better_than("accuracy", Table.CHOICE),
        controls=(*CONTROLS, Control(ROOM, leaves_room("accuracy", Table.CHOICE))),
    ),
    Claim(
        statement="Effect_D chooses better demonstrations for a language model than log-loss on the same rows.",
        source=own("derived here from LRGD, section 3.4"),
        criterion="test accuracy with the chosen set is higher, in the mean over the numbers of validation rows",
        judge=better_than("loss", Table.CHOICE),
        controls=(*CONTROLS, Control(ROOM, leaves_room("loss", Table.CHOICE))),
    ),
)
