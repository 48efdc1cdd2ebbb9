"""Operations on the text of a prompt [LRGD], done to a decoder's instructions: what they gain."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.measures import mean_over_seeds
from analysis.tables.select import Row, rows_where, table
from experiments.demonstrations.prompt_text import results
from experiments.demonstrations.prompt_text.results import OPERATION, OPERATIONS, PLAIN, SHRUNK, gain
from lab.runs.directory import RunDirectory

CAPTION = (
    "Mean over seeds; bars are two standard errors. Left: nDCG@10 of a decoder with an operation on its instructions, "
    "minus that of the plain decoder on the same users: values of the instructions shrunk by alpha (and by the alpha "
    "that is best on other users), instructions behind the demonstrations, further tokens in front, trained and not. "
    "Right: how alike the plain decoder's answers are to those of one step of gradient descent and of ridge "
    "regression: their cosine, and how often the same item is on top of the slate."
)
LEARNERS = {"descent": "gradient descent", "ridge": "ridge regression"}
LIKENESS = ((results.cosine, "#0072B2"), (results.same_top, "#E69F00"))


def draw(directory: RunDirectory) -> Figure:
    figure, (panels,) = style.panels(1, 2, width=11, height=3.8)
    _gains(panels[0], table(directory, results.TEXT))
    _likeness(panels[1], table(directory, results.LIKENESS))
    style.legend(panels[1])
    return figure


def _gains(panel: Axes, rows: list[Row]) -> None:
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        if row[OPERATION] != PLAIN:
            by_name.setdefault(_label(row), []).append(row)
    names = [*by_name]
    for place, name in enumerate(reversed(names)):
        mean, error = mean_over_seeds(by_name[name], gain.name, f"{gain.name}.stderr")
        panel.barh(place, mean, xerr=error, color="#332288", capsize=2)
    panel.axvline(0, color="#999999", linewidth=0.8)
    panel.set_yticks(range(len(names)), list(reversed(names)))
    panel.set(xlabel="nDCG@10 - that of the plain decoder")


def _label(row: Row) -> str:
    if row[OPERATION] == SHRUNK:
        return f"shrunk by {row[results.ALPHA]:g}"
    return OPERATIONS[row.text(OPERATION)]


def _likeness(panel: Axes, rows: list[Row]) -> None:
    for place, name in enumerate(LEARNERS):
        for side, (column, color) in enumerate(LIKENESS):
            mean, error = mean_over_seeds(
                rows_where(rows, {results.LEARNER: name}), column.name, f"{column.name}.stderr"
            )
            panel.bar(place + 0.4 * side - 0.2, mean, 0.36, yerr=error, color=color, capsize=2, label=column.label)
    panel.set_xticks(range(len(LEARNERS)), LEARNERS.values())
    panel.set(ylabel="likeness of the plain decoder")
