"""Choosing a set of demonstrations with more classes, where a rank says more than right and wrong."""

from collections.abc import Callable

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.choice import SCORES, by_count, learned_from_sets
from analysis.figures.cited import own
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import mean
from analysis.figures.evidence import Condition, above
from analysis.figures.queries import against_queries, line
from analysis.figures.words import part_in_words
from analysis.tables.select import distinct, rows_where, table
from experiments.demonstrations.demonstration_choice.columns import Choice, Table
from experiments.demonstrations.demonstration_choice.figure import LEARNED
from lab.runs.directory import RunDirectory

CAPTION = (
    "One colour per number of classes; mean over seeds, bars are two standard errors. Left and middle: test accuracy "
    "with the set of demonstrations that Effect_D chooses, minus that with the choice of accuracy, or of log-loss, "
    "against the number of validation queries. Right: Spearman's correlation of either score with test accuracy."
)
NEEDS_POINTS = True
COLOURS = ("#0072B2", "#D55E00", "#CC79A7", "#56B4E9")
MORE = ("classes_8", "classes_16")  # the parts that the claims are about


def draw(directory: RunDirectory) -> Figure:
    choice = table(directory, Table.CHOICE)
    figure, axes = style.panels(1, 3, width=12, height=3.8)
    *leads, correlation = axes[0]
    for part, color in zip(_parts(directory), COLOURS * len(choice), strict=False):
        label, rows = part_in_words(part), rows_where(choice, {"part": part})
        for panel, score in zip(leads, ("accuracy", "loss"), strict=True):
            of_score = rows_where(rows, {Choice.SCORE: score})
            line(panel, of_score, Choice.QUERIES, Choice.LEAD, fmt="-o", color=color, label=label)
        for score, dashes in (("effect", "-o"), ("accuracy", ":s")):
            of_score, options = rows_where(rows, {Choice.SCORE: score}), {"fmt": dashes, "color": color}
            name = f"{label}, by {SCORES[score][0]}"
            line(correlation, of_score, Choice.QUERIES, Choice.SPEARMAN, label=name, **options)
    for panel, score in zip(leads, ("accuracy", "log-loss"), strict=True):
        panel.axhline(0, color="#999999", linewidth=0.8)
        panel.set(ylabel=f"test accuracy, Effect_D - {score}")
    correlation.set(ylabel="Spearman, score and test accuracy")
    against_queries(choice, Choice.QUERIES, *axes[0])
    style.legend(*axes[0])
    return figure


def _parts(directory: RunDirectory) -> list[str]:
    """Return the parts classes_4, classes_8, ... of a sweep, fewest classes first."""
    return sorted(distinct(table(directory, Table.CHOICE), "part"), key=lambda part: int(part.rpartition("_")[2]))


def judge_better_than(score: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether the choice of Effect_D is more accurate than another score's, with more classes."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CHOICE)
        leads = {
            part: mean([*by_count(rows_where(rows, {"part": part, Choice.SCORE: score}), Choice.LEAD).values()])
            for part in MORE
        }
        return [
            above(f"{part_in_words(part)}: accuracy with the choice of Effect_D - of {SCORES[score][0]}", lead)
            for part, lead in leads.items()
        ]

    return judge


def judge_learned(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.BOUNDS)
    return [learned_from_sets(rows_where(rows, {"part": part}), f"{part_in_words(part)}: ") for part in MORE]


CONTROLS = (Control(LEARNED, judge_learned),)
CLAIMS = tuple(
    Claim(
        statement=f"With 8 and 16 classes Effect_D chooses better demonstrations than {label}.",
        source=own("derived here from LRGD, section 3.4"),
        criterion="test accuracy with the chosen set is higher, in the mean over the numbers of validation queries, "
        "with either",
        judge=judge_better_than(score),
    )
    for score, label in (("accuracy", "accuracy"), ("loss", "log-loss"))
)
