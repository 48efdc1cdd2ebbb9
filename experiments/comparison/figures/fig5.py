"""Figure 5 of RAG-GD: the linear-projection retriever at 2 and 5 recurrent layers."""

import functools
import itertools

from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, above
from analysis.tables.select import text
from experiments.comparison.drawing import by_documents
from experiments.comparison.drawing.by_documents import PREDICTION, along
from lab.runs.directory import RunDirectory

CAPTION, draw = by_documents.CAPTION, by_documents.draw
NEEDS_POINTS = True
BANDS = True


def grows(part: str, directory: RunDirectory) -> list[Condition]:
    _, *steps = (differences := along(directory, part, PREDICTION))
    return [
        above(f"step {text(step)}: at {text(many)} documents - at {text(few)}", more - less)
        for step in steps
        for (few, less), (many, more) in itertools.pairwise(differences[step].items())
    ]


CLAIMS = tuple(
    Claim(
        statement=f"At {layers} layers the divergence from gradient descent grows with the documents.",
        source="RAG-GD, figure 5",
        criterion="at a quarter, half and the end of training, each count's prediction difference is above that of the "
        "next smaller count, paired by seed",
        judge=functools.partial(grows, f"layers_{layers}"),
    )
    for layers in (2, 5)
)
