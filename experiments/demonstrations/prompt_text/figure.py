"""Operations on the text of a prompt [LRGD], done to a decoder's instructions: what they gain."""

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import learned, style
from analysis.figures.cited import Work, said, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.evidence import Condition, above, below
from analysis.figures.measures import mean_over_seeds, paired_over_users
from analysis.tables.select import Row, rows_where, table
from experiments.demonstrations.prompt_text.columns import Curves, Likeness, Operations, Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Mean over seeds; bars are two standard errors. Left: nDCG@10 of a decoder with an operation on its instructions, "
    "minus that of the plain decoder on the same users: values of the instructions shrunk by alpha (and by the alpha "
    "that is best on other users), instructions behind the demonstrations, further tokens in front, trained and not. "
    "Right: how alike the plain decoder's answers are to those of one step of gradient descent and of ridge "
    "regression: their cosine, and how often the same item is on top of the slate."
)
LEARNERS = {"descent": "gradient descent", "ridge": "ridge regression"}
LIKENESS = {Likeness.COSINE: ("cosine of answers", "#0072B2"), Likeness.SAME_TOP: ("same item on top", "#E69F00")}
OPERATIONS = {
    "shrunk_chosen": "shrunk by the chosen alpha",
    "inverse": "behind the demonstrations",
    "prefix": "trained prefix",
    "prefix_untrained": "untrained prefix",
}


def draw(directory: RunDirectory) -> Figure:
    figure, (panels,) = style.panels(1, 2, width=11, height=3.8)
    _gains(panels[0], table(directory, Table.TEXT))
    _likeness(panels[1], table(directory, Table.LIKENESS))
    style.legend(panels[1])
    return figure


def _gains(panel: Axes, rows: list[Row]) -> None:
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        if row[Operations.OPERATION] != "plain":
            by_name.setdefault(_label(row), []).append(row)
    names = [*by_name]
    for place, name in enumerate(reversed(names)):
        mean, error = mean_over_seeds(by_name[name], Operations.GAIN, f"{Operations.GAIN}.stderr")
        panel.barh(place, mean, xerr=error, color="#332288", capsize=2)
    panel.axvline(0, color="#999999", linewidth=0.8)
    panel.set_yticks(range(len(names)), list(reversed(names)))
    panel.set(xlabel="nDCG@10 - that of the plain decoder")


def _label(row: Row) -> str:
    if row[Operations.OPERATION] == "shrunk":
        return f"shrunk by {row[Operations.ALPHA]:g}"
    return OPERATIONS[row.text(Operations.OPERATION)]


def _likeness(panel: Axes, rows: list[Row]) -> None:
    for place, name in enumerate(LEARNERS):
        for side, (column, (label, color)) in enumerate(LIKENESS.items()):
            mean, error = mean_over_seeds(rows_where(rows, {Likeness.LEARNER: name}), column, f"{column}.stderr")
            panel.bar(place + 0.4 * side - 0.2, mean, 0.36, yerr=error, color=color, capsize=2, label=label)
    panel.set_xticks(range(len(LEARNERS)), LEARNERS.values())
    panel.set(ylabel="likeness of the plain decoder")


def judge_gain(operation: str, *others: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether an operation raises nDCG@10, and by more than each of the others."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.TEXT)
        gain = _gain(rows, operation)
        by_other = {
            other: gain - estimate(rows_where(rows, {Operations.OPERATION: other}), Operations.GAIN) for other in others
        }
        return [
            above(f"nDCG@10, {OPERATIONS[operation]} - plain", gain),
            *(
                above(f"nDCG@10, {OPERATIONS[operation]} - {OPERATIONS[other]}", number)
                for other, number in by_other.items()
            ),
        ]

    return judge


def judge_inverse(directory: RunDirectory) -> list[Condition]:
    return [below(f"nDCG@10, {OPERATIONS['inverse']} - plain", _gain(table(directory, Table.TEXT), "inverse"))]


def _gain(rows: list[Row], operation: str) -> Estimate:
    return paired_over_users(rows_where(rows, {Operations.OPERATION: operation}), Operations.GAIN)


def judge_learned(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.LIKENESS), {Likeness.LEARNER: "descent"})
    return [
        above("cosine of the decoder's answers with those of gradient descent", estimate(rows, Likeness.COSINE), ALIKE)
    ]


ALIKE = 0.5  # cosine: more along the answers of one step of gradient descent than across them
CONTROLS = (
    Control("the decoder answers from its demonstrations, as one step of gradient descent does", judge_learned),
    learned.flat(Curves.LOSS, learner="decoder"),
)
CLAIMS = (
    Claim(
        "Shrinking the values of the instructions improves recommendations.",
        said(Work.LRGD, "section 3.5, after eq. 18", "leading to improved generalization and robust recommendations"),
        "nDCG@10 above that of the plain decoder, with the alpha that is best on other users",
        judge_gain("shrunk_chosen"),
    ),
    Claim(
        "Instructions behind the demonstrations make recommendations worse.",
        said(Work.LRGD, "section 4.5 and table 5", "shows the lowest performance among all metrics"),
        "nDCG@10 below that of the plain decoder, whose instructions are in front",
        judge_inverse,
    ),
    Claim(
        "A regularising text in front of the prompt improves recommendations.",
        stronger(Work.LRGD, "section 3.5", "providing a better starting position"),
        "nDCG@10 with trained tokens in front above that of the plain decoder, and with as many untrained ones",
        judge_gain("prefix", "prefix_untrained"),
        controls=(*CONTROLS, learned.flat(Curves.LOSS, learner="prefix")),
    ),
)
