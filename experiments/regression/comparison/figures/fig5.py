"""Figure 5 of RAG-GD: the linear-projection retriever at 2 and 5 recurrent layers.

The paper's text says nothing of this figure: it refers to appendix B, which is about non-linear retrievers
(`rag_nonlinear`).
"""

import functools

from analysis.figures.cited import own
from analysis.figures.claim import Claim
from analysis.figures.controls import flat
from experiments.regression.comparison.claims.documents import grows
from experiments.regression.comparison.controls import LOSS, reaches_descent
from experiments.regression.comparison.drawing import by_documents

CAPTION, draw = by_documents.CAPTION, by_documents.draw
NEEDS_POINTS = True
BANDS = True


CLAIMS = (
    *(
        Claim(
            statement=f"At {layers} layers the difference from gradient descent grows with the documents of a "
            "linear-projection retriever, too.",
            source=own("derived here from RAG-GD, appendix B, which says it of non-linear retrievers"),
            criterion="at a quarter, half and the end of training, each count's prediction difference is above that of "
            "the next smaller count, paired by seed",
            judge=functools.partial(grows, part=f"layers_{layers}"),
            controls=(reaches_descent(part=f"layers_{layers}"), flat(LOSS, part=f"layers_{layers}")),
        )
        for layers in (2, 5)
    ),
)
