"""Figure 6 of RAG-GD: Calories and white Wine, a non-linear model, four normalisations."""

import functools

from analysis.figures.cited import Work, own, said, stronger
from experiments.regression.comparison.claims import compressed
from experiments.regression.comparison.claims import normalization_curves as curves
from experiments.regression.comparison.claims import normalization_judges as judges
from experiments.regression.comparison.claims.normalization import claim_about, minmax_becomes_unstable
from experiments.regression.comparison.drawing import against_step

CAPTION, draw = against_step.BY_NORMALIZATION, against_step.by_normalization
NEEDS_POINTS = True
BANDS = True

TEXT = "appendix C"  # the place in RAG-GD
calories, wine = (functools.partial(claim_about, data) for data in ("calories", "wine"))

CLAIMS = (
    calories(
        "the trained Transformer is equivalent to gradient descent on learned features.",
        said(Work.RAG_GD, TEXT, "the equivalent of the ICL and training of RAG"),
        "at the end, with every normalisation, the cosine is above 0.95 and the losses differ by less than a tenth of "
        "the loss of predicting the mean",
        judges.equivalence,
    ),
    wine(
        "with min-max the cosine is the lowest of all normalisations.",
        stronger(Work.RAG_GD, TEXT, "reduces cosine similarity"),
        "at the end the cosine with min-max is below that with each other normalisation, each in the inputs of its own "
        "run, as the paper measures them",
        judges.cosine_is_lowest,
    ),
    wine(
        "min-max is the least aligned normalisation in z-scored inputs, which are common to all.",
        own("derived here from RAG-GD, appendix C"),
        "at the end min-max has the lowest cosine and the largest model difference, by gradients in z-scored inputs",
        judges.minmax_is_worst,
        coordinates="_z",
    ),
    wine(
        "with min-max the prediction difference fluctuates in training.",
        stronger(Work.RAG_GD, TEXT, "increases fluctuations in prediction difference"),
        "in the second half of training its mean change between evaluations, relative to its size, is larger than with "
        "any other normalisation; the source compares with none",
        curves.predictions_fluctuate,
    ),
    minmax_becomes_unstable("wine", own("derived here from RAG-GD, section 4, which says it of California")),
    wine(
        "on highly skewed columns min-max compresses most samples near zero.",
        said(Work.RAG_GD, TEXT, "causing most samples to be compressed near zero"),
        "on every column with a skewness above 1, the median of the training rows is below a fifth",
        compressed.most_are_near_zero,
        normalizations=(),
    ),
)
