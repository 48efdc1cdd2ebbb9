"""Figure 4 of RAG-GD: Bike Sharing and California Housing, a non-linear model, four normalisations."""

import functools

from analysis.figures.cited import Work, own, said, stronger
from experiments.comparison.claims import compressed
from experiments.comparison.claims import normalization_judges as judges
from experiments.comparison.claims.normalization import claim_about, minmax_becomes_unstable
from experiments.comparison.claims.unmeasured import unmeasured
from experiments.comparison.drawing import by_normalization

CAPTION, draw = by_normalization.CAPTION, by_normalization.draw
NEEDS_POINTS = True
BANDS = True

TEXT = "section 4, on figure 4"  # the place in RAG-GD
LAB = own("derived here from RAG-GD, figure 4")
bike, california = (functools.partial(claim_about, data) for data in ("bike", "california"))

CLAIMS = (
    bike(
        "with min-max the trained Transformer performs as RAG does.",
        said(Work.RAG_GD, TEXT, "closely matches that of RAG"),
        "at the end the losses differ by less than a tenth of the loss of predicting the mean",
        judges.performs_like_rag,
        normalizations=["minmax"],
    ),
    bike(
        "z-score is less effective than min-max.",
        said(Work.RAG_GD, TEXT, "making Z-score normalization less effective"),
        "at the end the loss and the predictions are farther from RAG's with z-score than with min-max",
        judges.zscore_is_less_effective,
        normalizations=["minmax", "zscore"],
    ),
    bike(
        "with min-max the alignment with RAG is the closest of all normalisations.",
        stronger(Work.RAG_GD, TEXT, "closer alignment with ICL behavior"),
        "at the end min-max has the highest cosine and the smallest |loss difference|; the source compares with "
        "z-score alone",
        judges.minmax_is_closest,
    ),
    unmeasured(
        statement="Min-max stabilises the retrieval by dot products.",
        source=said(Work.RAG_GD, TEXT, "stabilizes dot-product retrieval"),
        would_take="what is retrieved for each query where rows are scored as they are normalised",
        why="documents are scored by z-scored rows under every normalisation, as the paper's corpus is, and no table "
        "has what is retrieved (task.retrieval=inputs would be another run); the source gives no measure",
    ),
    minmax_becomes_unstable(
        "california", said(Work.RAG_GD, TEXT, "cosine similarity decreases and model difference increases")
    ),
    california(
        "min-max is the least aligned normalisation.",
        stronger(Work.RAG_GD, TEXT, "introduces instability on such skewed datasets"),
        "at the end min-max has the lowest cosine and the largest model difference, each in the inputs of its own run, "
        "as the paper measures them",
        judges.minmax_is_worst,
    ),
    california(
        "that is so by the units alone; in z-scored inputs min-max aligns better than z-score.",
        LAB,
        "at the end, by gradients in z-scored inputs, its cosine is higher and its model difference smaller",
        judges.minmax_aligns_better_in_z,
        normalizations=["minmax", "zscore"],
    ),
    california(
        "with min-max the predictions are farthest from RAG's.",
        LAB,
        "at the end min-max has the largest prediction difference, which has no coordinates",
        judges.predictions_are_farthest,
    ),
    california(
        "on highly skewed columns, population and income among them, min-max compresses the majority of the samples "
        "into a narrow interval.",
        said(Work.RAG_GD, TEXT, "the majority of samples are compressed"),
        "on Population, MedInc and every column with a skewness above 1, the middle half of the training rows lies in "
        "less than a fifth of [0, 1]",
        compressed.majority_is_compressed,
        normalizations=(),
        named=("Population", "MedInc"),
    ),
    unmeasured(
        statement="California: with min-max the model's weights are uneven over the features.",
        source=said(Work.RAG_GD, TEXT, "distribute weights unevenly across feature dimensions"),
        would_take="the weights of each feature, in the course of training",
        why="no table has the weights of a model by feature",
    ),
)
