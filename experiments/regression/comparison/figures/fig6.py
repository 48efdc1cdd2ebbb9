"""Figure 6 of RAG-GD: Calories and white Wine, a non-linear model, four normalisations."""

import functools

from analysis.figures.cited import Work, said, stronger
from analysis.results.quantity import Bounds, Every
from experiments.regression.comparison import normalization
from experiments.regression.comparison.drawing import against_step
from experiments.regression.comparison.normalization import NAMES, NARROW, OTHERS, TENTH, claim_about, roughness
from experiments.regression.comparison.results import cosine, for_each
from tasks.datasets.columns import Inputs

CAPTION, draw = against_step.BY_NORMALIZATION, against_step.by_normalization
NEEDS_POINTS = True
KEPT_LEARNERS = normalization.KEPT_LEARNERS
BANDS = True

TEXT = "appendix C"  # the place in RAG-GD


def is_equivalent(name: str) -> Bounds | Every:
    alike = normalization.aligned(cosine, "calories", name) > 0.95
    return alike & normalization.share_of_mean("calories", name).within(TENTH)


fluctuation = functools.partial(roughness, "wine")
CLAIMS = (
    claim_about(
        "calories",
        "the trained Transformer is equivalent to gradient descent on learned features.",
        said(Work.RAG_GD, TEXT, "the equivalent of the ICL and training of RAG"),
        for_each(tuple(NAMES), is_equivalent),
    ),
    claim_about(
        "wine",
        "with min-max the cosine is the lowest of all normalisations.",
        stronger(Work.RAG_GD, TEXT, "reduces cosine similarity"),
        for_each(OTHERS, lambda other: normalization.beside(cosine, "wine", other) < 0),
        "each in the inputs of its own run, as the paper measures them",
    ),
    claim_about(
        "wine",
        "with min-max the prediction difference fluctuates in training.",
        stronger(Work.RAG_GD, TEXT, "increases fluctuations in prediction difference"),
        for_each(OTHERS, lambda other: fluctuation("minmax") - fluctuation(other) > 0),
        "relative to its size; the source compares with no other normalisation",
    ),
    claim_about(
        "wine",
        "on highly skewed columns min-max compresses most samples near zero.",
        said(Work.RAG_GD, TEXT, "causing most samples to be compressed near zero"),
        normalization.skewed("wine", "median", lambda row: row.number(Inputs.MEDIAN)) < NARROW,
        "of the training rows",
        normalizations=(),
    ),
)
