"""Choosing a set of demonstrations by a score on validation queries: Effect_D [LRGD], accuracy and log-loss."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.choice import better_than, draw_choice, helps, learned_from_sets
from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.evidence import Condition, below
from analysis.figures.queries import line
from analysis.tables.select import distinct, rows_where, table
from experiments.demonstrations.demonstration_choice.columns import Path, Reached, Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Mean over seeds; bars and bands are two standard errors. Left: test accuracy with the set of demonstrations that "
    "is the best by each score, against the number of validation queries; below, a random set; above, the set that is "
    "the best on the test queries themselves. Middle: Spearman's correlation, over the sets of an episode, of a score "
    "with test accuracy. Third: Effect_D of the set that it chooses, on the validation and on the test queries. Right: "
    "rank of the right class after so many demonstrations on the path of the last layer's dual models, for the half of "
    "the sets with the higher Effect_D on validation queries and for the other half."
)
HALVES = {"better": "#0072B2", "worse": "#999999"}


def draw(directory: RunDirectory) -> Figure:
    choice, bounds = table(directory, Table.CHOICE), table(directory, Table.BOUNDS)
    figure, axes = style.panels(1, 4, width=15, height=3.8)
    path = axes[0, 3]
    draw_choice(list(axes[0, :3]), choice, bounds)
    for half, color in HALVES.items():
        rows = rows_where(table(directory, Table.PATH), {Path.HALF: half})
        line(path, rows, Path.DEMONSTRATIONS, Path.RANK, color=color, fmt="-o", label=f"{half} half of the sets")
    path.set(xlabel="demonstrations learned", ylabel="rank of the right class")
    style.legend(*axes[0])
    return figure


def judge_faster(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.REACHED), {Reached.HALF: "better - worse"})
    return [below("demonstrations until the right class is the first, better - worse sets", estimate(rows, "steps"))]


def judge_falls(directory: RunDirectory) -> list[Condition]:
    falls = ranks_along_path(directory)
    return [below(f"{half} sets: rank after all demonstrations - before any", ranks[-1] - ranks[0])
            for half, ranks in falls.items()]  # fmt: skip


def judge_falls_throughout(directory: RunDirectory) -> list[Condition]:
    return [
        below(
            f"{half} sets: rank after {number} demonstrations - after {number - 1}", ranks[number] - ranks[number - 1]
        )
        for half, ranks in ranks_along_path(directory).items()
        for number in range(1, len(ranks))
    ]


def ranks_along_path(directory: RunDirectory) -> dict[str, list[Estimate]]:
    """Return {half of the sets: ranks of the right class after 0, 1, .. demonstrations}."""
    rows = table(directory, Table.PATH)
    counts = distinct(rows, Path.DEMONSTRATIONS)
    return {
        half: [estimate(rows_where(rows, {Path.HALF: half, Path.DEMONSTRATIONS: count}), Path.RANK) for count in counts]
        for half in HALVES
    }


def judge_learned(directory: RunDirectory) -> list[Condition]:
    return [learned_from_sets(table(directory, Table.BOUNDS))]


LEARNED = "the decoders learn from demonstrations"
CONTROLS = (Control(LEARNED, judge_learned),)
CLAIMS = (
    Claim(
        statement="Demonstrations with a higher Effect_D on validation queries give a higher accuracy on test queries.",
        source=said(Work.LRGD, "section 3.4", "implies better generalization performance on the test set"),
        criterion="Spearman's correlation above 0, and the chosen set above a random one, at every number of "
        "validation queries",
        judge=helps(Table.CHOICE),
    ),
    Claim(
        statement="Effect_D chooses better demonstrations than accuracy on the same validation queries.",
        source=own("derived here from LRGD, section 3.4"),
        criterion="test accuracy with the chosen set is higher, in the mean over the numbers of validation queries",
        judge=better_than("accuracy", Table.CHOICE),
    ),
    Claim(
        statement="Effect_D chooses better demonstrations than log-loss on the same validation queries.",
        source=own("derived here from LRGD, section 3.4"),
        criterion="test accuracy with the chosen set is higher, in the mean over the numbers of validation queries",
        judge=better_than("loss", Table.CHOICE),
    ),
    Claim(
        statement="Better demonstrations reach the right class in fewer steps of the dual models.",
        source=stronger(Work.LRGD, "section 3.4, figure 4", "better demonstrations accelerate convergence"),
        criterion="demonstrations that the last layer's dual models learn until the right class is the first, on test "
        "queries: fewer for the half of the sets with the higher Effect_D on validation queries",
        judge=judge_faster,
    ),
    Claim(
        statement="Along the path of the dual models the right class moves to the front.",
        source=stronger(Work.LRGD, "section 3.4, figure 4", "requiring three gradient descent steps to reach"),
        criterion="its mean rank on test queries after all demonstrations below that before any, with either half of "
        "the sets",
        judge=judge_falls,
    ),
    Claim(
        statement="Every demonstration moves it to the front.",
        source=own("derived here: a step on one demonstration is a step towards its own class"),
        criterion="its mean rank lower after each demonstration than before it, with either half of the sets",
        judge=judge_falls_throughout,
    ),
)
