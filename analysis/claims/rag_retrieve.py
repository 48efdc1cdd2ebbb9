"""Retrieve, then descend: what documents are good for where the retriever can be learned (our own claims)."""

from analysis.claims.claim import Claim, Verdict
from analysis.tables.select import at, name, values
from lab.runs.directory import RunDirectory

SOURCE = "this lab"


def _losses(directory: RunDirectory, part: str, layers: int, column: str = "loss.transformer") -> dict[str, float]:
    """{number of documents: loss}."""
    rows = at(directory.read_table("points"), part=part, num_layers=float(layers))
    return {f"{name(row, 'num_documents')} documents": row[column] for row in rows}


def documents_help(directory: RunDirectory) -> Verdict:
    measured, holds = {}, True
    for layers in values(directory.read_table("points"), "num_layers"):
        without, with_them = _losses(directory, "none", layers), _losses(directory, "each", layers)
        for count, loss in with_them.items():
            measured[f"{layers:g} layers, {count}: with / without"] = loss / without[count]
            holds &= loss < without[count]
    return measured, holds


def two_layers_beat_one_step(directory: RunDirectory) -> Verdict:
    trained = _losses(directory, "each", 2)
    step = _losses(directory, "each", 2, "loss.retrieved_descent")
    measured = {f"{count}: trained / step": loss / step[count] for count, loss in trained.items()}
    return measured, all(ratio < 1 for ratio in measured.values())


def pooled_recovers_little(directory: RunDirectory) -> Verdict:
    """Two layers beat the step from the retrieved model even without documents, so that step says nothing here: what
    the mean document is worth is measured by what one row a document is worth."""
    shares = {}
    for layers in values(directory.read_table("points"), "num_layers"):
        none, pooled, each = (_losses(directory, part, layers) for part in ("none", "pooled", "each"))
        for count in each:
            shares[f"{layers:g} layers, {count}"] = (none[count] - pooled[count]) / (none[count] - each[count])
    return shares, all(share < 0.5 for share in shares.values())


CLAIMS = (
    Claim(
        statement="Documents lower the loss.",
        source=SOURCE,
        criterion="at 1 and 2 layers and every count, one row a document has a lower loss than no documents",
        judge=documents_help,
    ),
    Claim(
        statement="Two layers with documents beat one gradient step from the retrieved model.",
        source=SOURCE,
        criterion="at every count, the loss with one row a document is below that of the step",
        judge=two_layers_beat_one_step,
    ),
    Claim(
        statement="Pooled injection does not suffice.",
        source=SOURCE,
        criterion="the mean document gains less than half of what one row a document gains over no documents",
        judge=pooled_recovers_little,
    ),
)
