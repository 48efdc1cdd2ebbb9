"""Figure 5 of RAG-GD: the linear-projection retriever at 2 and 5 recurrent layers.

The paper's text says nothing of this figure: it refers to appendix B, which is about non-linear retrievers.
"""

import functools
import itertools

from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, above
from analysis.figures.learned import flat
from analysis.tables.select import text
from experiments.comparison.claims.controls import LOSS, reaches_descent
from experiments.comparison.claims.unmeasured import unmeasured
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


CLAIMS = (
    *(
        Claim(
            statement=f"At {layers} layers the difference from gradient descent grows with the documents of a "
            "linear-projection retriever, too.",
            source=own("derived here from RAG-GD, appendix B, which says it of non-linear retrievers"),
            criterion="at a quarter, half and the end of training, each count's prediction difference is above that of "
            "the next smaller count, paired by seed",
            judge=functools.partial(grows, f"layers_{layers}"),
            controls=(reaches_descent(part=f"layers_{layers}"), flat(LOSS, part=f"layers_{layers}")),
        )
        for layers in (2, 5)
    ),
    unmeasured(
        statement="With a non-linear retriever the discrepancy from gradient descent grows with the documents.",
        source=said(Work.RAG_GD, "appendix B", "amplifying the discrepancy between ICL and RAG"),
        would_take="documents beside the inputs of tokens that go through non-linear layers, with 2, 5, 10 and 15 of "
        "them",
        why="the lab has no non-linear retriever",
    ),
)
