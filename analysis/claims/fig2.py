"""[RAG-GD] figure 2: loss against the number of documents and against the scale of the test inputs, both retrievers."""

import itertools

from analysis.claims.claim import Claim, Verdict
from analysis.tables.select import NotMeasured, at, by, column, name
from lab.runs.directory import RunDirectory

SAME = 0.05  # curves that lie on one another in the figure, whose axis of losses is logarithmic


def by_count(directory: RunDirectory, part: str) -> list[dict]:
    """
    Raises:
        NotMeasured: there are not two counts to compare.
    """
    rows = by(at(directory.read_table("points"), part=part), "num_documents")
    if len(rows) < 2:
        raise NotMeasured(part)
    return rows


def rises(directory: RunDirectory) -> Verdict:
    rows = by_count(directory, "rag_linear")
    losses = {f"{name(row, 'num_documents')} documents": row["loss.transformer"] for row in rows}
    found = list(losses.values())
    return losses, all(one < two for one, two in itertools.pairwise(found))


def follows(directory: RunDirectory) -> Verdict:
    rows = by_count(directory, "rag_linear")
    ratios = {
        f"{name(row, 'num_documents')} documents": row["loss.transformer"] / row["loss.gradient_descent"] - 1
        for row in rows
    }
    return ratios, all(abs(ratio) <= SAME for ratio in ratios.values())


def flat(directory: RunDirectory) -> Verdict:
    rows = by_count(directory, "rag_dot")
    mean = sum(row["loss.transformer"] for row in rows) / len(rows)
    ratios = {f"{name(row, 'num_documents')} documents": row["loss.transformer"] / mean - 1 for row in rows}
    return ratios, all(abs(ratio) <= SAME for ratio in ratios.values())


def _off(directory: RunDirectory, inside: bool) -> Verdict:
    """The largest distance of the trained and of the interpolated loss from gradient descent's, over all counts."""
    table, worst = directory.read_table("shift"), {}
    shifts = [row for row in at(table, shift="alpha") if (row["value"] <= 1) == inside]
    for row in shifts:
        if row["learner"] in ("transformer", "interpolated"):
            place = {key: row[column(table, key)] for key in ("part", "num_documents", "value")}
            (descent,) = at(shifts, learner="gradient_descent", **place)
            key = f"{name(row, 'part')}, alpha {name(row, 'value')}, {row['learner']}"
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
