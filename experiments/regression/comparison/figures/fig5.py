"""Figure 5 of RAG-GD: the linear-projection retriever at 2 and 5 recurrent layers.

The paper's text says nothing of this figure: it refers to appendix B, which is about non-linear retrievers
(`rag_nonlinear`).
"""

from analysis.figures.cited import own
from analysis.figures.controls import flat
from analysis.figures.measures import GD
from analysis.results.declared import claim
from experiments.regression.comparison.controls import LOSS, reaches_descent
from experiments.regression.comparison.drawing import against_step
from experiments.regression.comparison.results import grows_with_documents

CAPTION, draw = against_step.BY_DOCUMENTS, against_step.by_documents
NEEDS_POINTS = True
BANDS = True
PART = "layers_5"
CLAIMS = (
    claim(
        "At 5 layers the difference from gradient descent grows with the documents of a linear-projection retriever, "
        "too.",
        own("derived here from RAG-GD, appendix B, which says it of non-linear retrievers"),
        grows_with_documents(GD, PART),
        controls=(reaches_descent(part=PART), flat(LOSS, part=PART)),
    ),
)
