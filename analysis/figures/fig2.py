"""Figure 2 of RAG-GD: the loss against the number of documents and against the scale of the test inputs."""

import itertools

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.claim import Claim, Verdict
from analysis.tables.select import (
    NotMeasured,
    Row,
    column,
    distinct,
    finished,
    label,
    rows_where,
    sort_by,
    table,
)
from lab.runs.directory import RunDirectory

CAPTION = "Losses, on a logarithmic axis, against the number of documents and against the scale of the test inputs."
NEEDS_POINTS = True
BANDS = True

SHOWN = ("transformer", "gradient_descent", "interpolated")
SAME = 0.05  # curves that lie on one another in the figure, whose axis of losses is logarithmic


def draw(directory: RunDirectory) -> Figure:
    points, shifts = finished(table(directory, "points")), table(directory, "shift")
    parts = distinct(points, "part")
    figure, axes = style.panels(2, len(parts), width=4.6 * len(parts), height=6.6, sharey="row")
    for part, above, below in zip(parts, *axes, strict=True):
        _by_count(above, rows_where(points, part=part))
        above.set_title(part)
        _by_alpha(below, rows_where(shifts, part=part, shift="alpha"))
    for panel in axes.flat:
        style.log(panel)
    style.legend(axes[0][0])
    return figure


def _by_count(axes: Axes, rows: list[Row]) -> None:
    rows, counts = sort_by(rows, "num_documents"), distinct(rows, "num_documents")
    for name in SHOWN:
        losses = [row[f"loss.{name}"] for row in rows]
        spreads = [row.get(f"loss.{name}.spread", 0.0) for row in rows]
        style.line(axes, name, counts, losses, spreads, marker="o")
    axes.set(xlabel="documents", ylabel="loss, 1/2 squared error")
    axes.set_xticks(counts)


def _by_alpha(axes: Axes, rows: list[Row]) -> None:
    """One line per learner and number of documents, fewer documents paler."""
    counts = distinct(rows, "num_documents")
    for i, documents in enumerate(counts):
        for name in SHOWN:
            curve = sort_by(rows_where(rows, learner=name, num_documents=documents), "value")
            alphas, means = ([row[key] for row in curve] for key in ("value", "mean"))
            spreads = [row.get("spread", 0.0) for row in curve]
            style.line(axes, name, alphas, means, spreads, alpha=0.35 + 0.65 * (i + 1) / len(counts), markersize=3)
    axes.axvline(1, color="#999999", linewidth=0.8)
    shown = f"{min(counts):g} (pale) to {max(counts):g} documents; trained at 1"
    axes.set(xlabel=f"scale alpha of the test inputs\n{shown}", ylabel="loss, 1/2 squared error")


def losses_by_count(directory: RunDirectory, part: str) -> list[dict]:
    """
    Raises:
        NotMeasured: there are not two counts to compare.
    """
    rows = sort_by(rows_where(table(directory, "points"), part=part), "num_documents")
    if len(rows) < 2:
        raise NotMeasured(f"fewer than two counts of documents of {part}")
    return rows


def rises(directory: RunDirectory) -> Verdict:
    rows = losses_by_count(directory, "rag_linear")
    losses = {f"{label(row, 'num_documents')} documents": row["loss.transformer"] for row in rows}
    return losses, all(fewer < more for fewer, more in itertools.pairwise(losses.values()))


def follows(directory: RunDirectory) -> Verdict:
    rows = losses_by_count(directory, "rag_linear")
    ratios = {
        f"{label(row, 'num_documents')} documents": row["loss.transformer"] / row["loss.gradient_descent"] - 1
        for row in rows
    }
    return ratios, all(abs(ratio) <= SAME for ratio in ratios.values())


def flat(directory: RunDirectory) -> Verdict:
    rows = losses_by_count(directory, "rag_dot")
    mean = sum(row["loss.transformer"] for row in rows) / len(rows)
    ratios = {f"{label(row, 'num_documents')} documents": row["loss.transformer"] / mean - 1 for row in rows}
    return ratios, all(abs(ratio) <= SAME for ratio in ratios.values())


def _off(directory: RunDirectory, inside: bool) -> Verdict:
    """The largest distance of the trained and of the interpolated loss from gradient descent's, over all counts."""
    worst = {}
    shifts = [row for row in rows_where(table(directory, "shift"), shift="alpha") if (row["value"] <= 1) == inside]
    for row in shifts:
        if row["learner"] in ("transformer", "interpolated"):
            place = {key: row[column([row], key)] for key in ("part", "num_documents", "value")}
            (descent,) = rows_where(shifts, learner="gradient_descent", **place)
            key = f"{label(row, 'part')}, alpha {label(row, 'value')}, {row['learner']}"
            worst[key] = max(worst.get(key, 0.0), abs(row["mean"] / descent["mean"] - 1))
    return worst, all(distance <= SAME for distance in worst.values())


CLAIMS = (
    Claim(
        statement="With the linear-projection retriever the loss rises with the number of documents.",
        source="RAG-GD, figure 2",
        criterion="the trained loss is larger for every larger count",
        judge=rises,
    ),
    Claim(
        statement="With the linear-projection retriever the trained Transformer follows gradient descent.",
        source="RAG-GD, figure 2",
        criterion="trained loss / gradient descent's - 1 is within 5% at every count",
        judge=follows,
    ),
    Claim(
        statement="With the dot-product retriever the loss does not depend on the number of documents.",
        source="RAG-GD, figure 2",
        criterion="the trained loss / its mean over the counts - 1 is within 5% at every count",
        judge=flat,
    ),
    Claim(
        statement="Trained and interpolated Transformers follow gradient descent on inputs no wider than in training.",
        source="RAG-GD, figure 2",
        criterion="for alpha <= 1, losses are within 5% of gradient descent's, at the worst count",
        judge=lambda directory: _off(directory, inside=True),
    ),
    Claim(
        statement="Trained and interpolated Transformers follow gradient descent on wider inputs than in training.",
        source="RAG-GD, figure 2",
        criterion="for alpha > 1, losses are within 5% of gradient descent's, at the worst count",
        judge=lambda directory: _off(directory, inside=False),
    ),
)
