"""Figure 4 of RAG-GD: Bike Sharing and California Housing, a non-linear model, four normalisations."""

import functools

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim
from experiments.regression.comparison.claims import compressed, features, retrieval
from experiments.regression.comparison.claims import normalization_judges as judges
from experiments.regression.comparison.claims.normalization import claim_about, minmax_becomes_unstable
from experiments.regression.comparison.drawing import against_step
from experiments.regression.comparison.results import Features

CAPTION, draw = against_step.BY_NORMALIZATION, against_step.by_normalization
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
        stronger(Work.RAG_GD, TEXT, "making Z-score normalization less effective"),
        "at the end the loss and the predictions are farther from RAG's with z-score than with min-max; the "
        "source gives no measure",
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
    Claim(
        "Min-max stabilises the retrieval by dot products.",
        stronger(Work.RAG_GD, TEXT, "stabilizes dot-product retrieval"),
        "on Bike and on California, with a z-scored corpus as in the paper, the share of a test row's documents that "
        "are retrieved again after noise of a tenth of each column's deviation on its inputs is larger with min-max "
        "than with z-score; the source gives no measure",
        functools.partial(retrieval.is_steadier, corpus="zscore"),
        controls=(),
    ),
    Claim(
        "That is so for a corpus that is normalised as the queries are.",
        LAB,
        "the same, with rows of the corpus that are normalised as the inputs are",
        functools.partial(retrieval.is_steadier, corpus="inputs"),
        controls=(),
    ),
    Claim(
        "Retrieval with min-max depends less on the query.",
        LAB,
        "on Bike and on California, with a z-scored corpus, the ten most frequent documents are a larger share of "
        "those of all test rows with min-max than with z-score",
        retrieval.finds_the_same_rows,
        controls=(),
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
    california(
        "with min-max the model distributes its weights less evenly over the features than with z-score.",
        stronger(Work.RAG_GD, TEXT, "distribute weights unevenly across feature dimensions"),
        "at the end the Gini coefficient of the Transformer's mean absolute derivatives by each input is larger than "
        "with z-score, each in the inputs of its own run; the source gives no measure",
        features.minmax_is_more_uneven,
        normalizations=["minmax", "zscore"],
        number=Features.SENSITIVITY,
    ),
    california(
        "that is so in common units as well.",
        LAB,
        "the same, by derivatives in z-scored inputs",
        features.minmax_is_more_uneven,
        normalizations=["minmax", "zscore"],
        number=Features.SENSITIVITY_Z,
    ),
)
