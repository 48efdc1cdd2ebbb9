"""Linear attention against gradient descent: the error of each identity beside its tolerance."""

import itertools

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, above, below, exact
from analysis.tables.select import NotMeasured, Row
from lab.runs.directory import RunDirectory

CAPTION = (
    "Largest difference over random problems, in 64-bit numbers, between linear attention over error signals and "
    "gradient descent by automatic differentiation, for three losses. Circles: both sides are asserted to be equal, "
    "and the error must be left of the tolerance. Diamonds: the two functions are asserted to be different, and the "
    "difference must be right of the bound. Crosses: the statement does not hold."
)

RELATIONS = {  # marker, colour, label, label of the tolerance
    "equal": ("o", "#0072B2", "equal: error", "equal: tolerance"),
    "different": ("D", "#D55E00", "different: distance", "different: smallest distance allowed"),
}
SMALLEST = 1e-17  # where an error of exactly zero is drawn


def draw(directory: RunDirectory) -> Figure:
    rows = directory.read_table("identities")
    groups = [list(group) for _, group in itertools.groupby(rows, key=lambda row: row["statement"])]
    figure, axes = style.panels(
        len(groups),
        1,
        width=8,
        height=1.2 + 0.3 * len(rows) + 0.3 * len(groups),
        sharex=True,
        gridspec_kw={"height_ratios": [len(group) for group in groups]},
    )
    for panel, group in zip(axes[:, 0], groups, strict=True):
        _panel(panel, group)
    axes[-1, 0].set_xlabel("largest difference of predictions (relative where predictions exceed 1)")
    style.legend(*axes[:, 0])
    return figure


def _panel(panel: Axes, rows: list[Row]) -> None:
    for height, row in enumerate(rows):
        marker, color, label, bound = RELATIONS[row["relation"]]
        error = max(row["error"], SMALLEST)
        panel.plot([error, row["tolerance"]], [height, height], color=color, linewidth=0.8, alpha=0.5)
        panel.plot(error, height, marker if row["holds"] else "x", color=color, label=label, linestyle="none")
        panel.plot(
            row["tolerance"], height, "|", color=color, label=bound, markersize=12, markeredgewidth=2, linestyle="none"
        )
    panel.set_title(rows[0]["statement"], loc="left", fontsize="medium")
    panel.set(xscale="log", ylim=(len(rows) - 0.5, -0.5))
    panel.set_yticks(range(len(rows)), [row["loss"] for row in rows])


def judge(directory: RunDirectory, *identities: str) -> list[Condition]:
    """The errors of these identities, for every loss.

    Raises:
        NotMeasured: the table lacks one of the identities.
    """
    rows = [row for row in directory.read_table("identities") if row["identity"] in identities]
    if {row["identity"] for row in rows} != set(identities):
        raise NotMeasured(identities)
    bounds = {"equal": below, "different": above}
    return [bounds[row["relation"]](row["loss"], exact(row["error"]), row["tolerance"]) for row in rows]


CLAIMS = (
    Claim(
        statement="Linear attention over error signals is one step of gradient descent, for any loss.",
        source="LRGD, eqs. 1-4; DAI",
        criterion="equal to 1e-12 for squared error, cross-entropy and the Hebbian loss",
        judge=lambda directory: judge(directory, "one_step"),
    ),
    Claim(
        statement="S full-batch steps are linear attention whose values are error signals summed over the steps.",
        source="derived here from LRGD, eqs. 1-4",
        criterion="equal to 1e-12 for the three losses",
        judge=lambda directory: judge(directory, "several_steps"),
    ),
    Claim(
        statement="Online steps are linear attention in which each value depends on the values before it.",
        source="derived here from LRGD, eqs. 1-4",
        criterion="equal to 1e-12 for the three losses",
        judge=lambda directory: judge(directory, "online_steps"),
    ),
    Claim(
        statement="Online and batch descent are different functions unless the loss is linear in the prediction.",
        source="derived here",
        criterion="after one pass apart by more than 1e-9 for squared error and cross-entropy, equal to 1e-12 for the "
        "Hebbian loss",
        judge=lambda directory: judge(directory, "batch_same_as_online", "batch_not_online"),
    ),
)
