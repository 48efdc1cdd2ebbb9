"""Choosing a set of demonstrations by a score on validation queries: Effect_D [LRGD], accuracy and log-loss."""

from collections.abc import Callable

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, estimate, mean
from analysis.figures.evidence import Condition, above, below
from analysis.figures.measures import mean_over_seeds
from analysis.figures.queries import against_queries, line
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.demonstration_choice.columns import Bounds, Choice, Path, Reached, Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Mean over seeds; bars and bands are two standard errors. Left: test accuracy with the set of demonstrations that "
    "is the best by each score, against the number of validation queries; below, a random set; above, the set that is "
    "the best on the test queries themselves. Middle: Spearman's correlation, over the sets of an episode, of a score "
    "with test accuracy. Third: Effect_D of the set that it chooses, on the validation and on the test queries. Right: "
    "rank of the right class after so many demonstrations on the path of the last layer's dual models, for the half of "
    "the sets with the higher Effect_D on validation queries and for the other half."
)
SCORES = {  # label, colour, marker
    "effect": ("Effect_D", "#0072B2", "o"),
    "accuracy": ("accuracy", "#E69F00", "s"),
    "loss": ("log-loss", "#009E73", "^"),
}
BOUNDS = {"random": ("random set", ":"), "best": ("best set on the test", "--")}
HALVES = {"better": "#0072B2", "worse": "#999999"}
SIDES = {Choice.VALIDATION: ("Effect_D on validation", "-"), Choice.TEST: ("Effect_D on test", "--")}


def draw(directory: RunDirectory) -> Figure:
    choice, bounds = table(directory, Table.CHOICE), table(directory, Table.BOUNDS)
    figure, axes = style.panels(1, 4, width=15, height=3.8)
    accuracy, correlation, optimism, path = axes[0]
    for score, (label, color, marker) in SCORES.items():
        for panel, column in ((accuracy, Choice.ACCURACY), (correlation, Choice.SPEARMAN)):
            rows = rows_where(choice, {Choice.SCORE: score})
            line(panel, rows, Choice.QUERIES, column, color=color, fmt=f"-{marker}", label=label)
    for bound, (label, dashes) in BOUNDS.items():
        rows = rows_where(bounds, {Bounds.BOUND: bound})
        middle, error = mean_over_seeds(rows, Bounds.ACCURACY, f"{Bounds.ACCURACY}.stderr")
        accuracy.axhline(middle, linestyle=dashes, color="#444444", label=label)
        accuracy.axhspan(middle - error, middle + error, color="#444444", alpha=0.1, linewidth=0)
    for side, (label, dashes) in SIDES.items():
        color, rows = SCORES["effect"][1], rows_where(choice, {Choice.SCORE: "effect"})
        line(optimism, rows, Choice.QUERIES, side, color=color, fmt=f"{dashes}o", label=label)
    accuracy.set(ylabel="test accuracy with the chosen set")
    correlation.set(ylabel="Spearman, score and test accuracy")
    optimism.set(ylabel="Effect_D of the set it chooses")
    against_queries(choice, Choice.QUERIES, accuracy, correlation, optimism)
    for half, color in HALVES.items():
        rows = rows_where(table(directory, Table.PATH), {Path.HALF: half})
        line(path, rows, Path.DEMONSTRATIONS, Path.RANK, color=color, fmt="-o", label=f"{half} half of the sets")
    path.set(xlabel="demonstrations learned", ylabel="rank of the right class")
    style.legend(*axes[0])
    return figure


def by_count(rows: list[Row], column: str) -> dict[float, Estimate]:
    """Return {number of validation queries: a column}, from the rows of one score."""
    counts = distinct(rows, Choice.QUERIES)
    return {count: estimate(rows_where(rows, {Choice.QUERIES: count}), column) for count in counts}


def judge_helps(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.CHOICE), {Choice.SCORE: "effect"})
    names = {Choice.SPEARMAN: "Spearman of Effect_D", Choice.GAIN: "accuracy with its choice - with a random set"}
    return [
        above(f"{name}, {count:g} queries", number)
        for column, name in names.items()
        for count, number in by_count(rows, column).items()
    ]


def judge_better_than(score: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether the choice of Effect_D is more accurate than that of another score."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = rows_where(table(directory, Table.CHOICE), {Choice.SCORE: score})
        lead = mean([*by_count(rows, Choice.LEAD).values()])
        return [above(f"accuracy with the choice of Effect_D - of {SCORES[score][0]}", lead)]

    return judge


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


def learned_from_sets(rows: list[Row], label: str = "") -> Condition:
    """Return the condition that demonstrations help, from rows of bounds.csv."""
    random, nothing = (
        estimate(rows_where(rows, {Bounds.BOUND: bound}), Bounds.ACCURACY) for bound in ("random", "zero_shot")
    )
    return above(f"{label}accuracy with a random set - with none", random - nothing)


LEARNED = "the decoders learn from demonstrations"
CONTROLS = (Control(LEARNED, judge_learned),)
CLAIMS = (
    Claim(
        statement="Demonstrations with a higher Effect_D on validation queries give a higher accuracy on test queries.",
        source=said(Work.LRGD, "section 3.4", "implies better generalization performance on the test set"),
        criterion="Spearman's correlation above 0, and the chosen set above a random one, at every number of "
        "validation queries",
        judge=judge_helps,
    ),
    Claim(
        statement="Effect_D chooses better demonstrations than accuracy on the same validation queries.",
        source=own("derived here from LRGD, section 3.4"),
        criterion="test accuracy with the chosen set is higher, in the mean over the numbers of validation queries",
        judge=judge_better_than("accuracy"),
    ),
    Claim(
        statement="Effect_D chooses better demonstrations than log-loss on the same validation queries.",
        source=own("derived here from LRGD, section 3.4"),
        criterion="test accuracy with the chosen set is higher, in the mean over the numbers of validation queries",
        judge=judge_better_than("loss"),
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
