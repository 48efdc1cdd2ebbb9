"""Figure 4 of RAG-GD: Bike Sharing and California Housing, a non-linear model, four normalisations."""

import functools

from analysis.figures.cited import Work, own, said, stronger
from analysis.metrics.columns import Metric
from analysis.results.declared import claim
from analysis.results.quantity import Bounds
from experiments.regression.comparison import normalization, results
from experiments.regression.comparison.drawing import against_step
from tasks.datasets.columns import Inputs

CAPTION, draw = against_step.BY_NORMALIZATION, against_step.by_normalization
NEEDS_POINTS = True
KEPT_LEARNERS = normalization.KEPT_LEARNERS
BANDS = True

TEXT = "section 4, on figure 4"  # the place in RAG-GD
LAB = own("derived here from RAG-GD, figure 4")
bike, california = (functools.partial(normalization.claim_about, data) for data in ("bike", "california"))


def is_steadier(data: str, corpus: str) -> Bounds:
    shares = normalization.retrieved_again.where(data=data, corpus=corpus)
    return shares["minmax"] - shares["zscore"] > 0


def finds_the_same_rows(data: str) -> Bounds:
    shares = normalization.most_frequent.where(data=data, corpus="zscore")
    return shares["minmax"] - shares["zscore"] > 0


CLAIMS = (
    bike(
        "with min-max the trained Transformer performs as RAG does.",
        said(Work.RAG_GD, TEXT, "closely matches that of RAG"),
        normalization.share_of_mean("bike", "minmax").within(normalization.TENTH),
        normalizations=["minmax"],
    ),
    bike(
        "z-score is less effective than min-max.",
        stronger(Work.RAG_GD, TEXT, "making Z-score normalization less effective"),
        (normalization.distance("bike", "zscore") - normalization.distance("bike", "minmax") > 0)
        & (normalization.beside(results.prediction, "bike", "zscore") < 0)
        & (normalization.beside(results.cosine, "bike", "zscore") > 0),
        "the source gives no measure",
        normalizations=["minmax", "zscore"],
    ),
    *(
        claim(
            f"{normalization.TITLES[data]}: min-max stabilises the retrieval by dot products.",
            stronger(Work.RAG_GD, TEXT, "stabilizes dot-product retrieval"),
            results.for_each(("zscore", "inputs"), functools.partial(is_steadier, data)),
            "with a z-scored corpus as in the paper, and with one that is normalised as the inputs are, after noise of "
            "a tenth of each column's deviation on the inputs; the source gives no measure",
            controls=(),
        )
        for data in ("bike", "california")
    ),
    claim(
        "Retrieval with min-max depends less on the query.",
        LAB,
        results.for_each(("bike", "california"), finds_the_same_rows),
        "with a z-scored corpus, of the documents of all test rows",
        controls=(),
    ),
    california(
        "with min-max the cosine falls and the model difference grows as training progresses.",
        said(Work.RAG_GD, TEXT, "cosine similarity decreases and model difference increases"),
        (normalization.at_end(Metric.COSINE, "california", "cosine at the end - its highest", max) < 0)
        & (
            normalization.at_end(Metric.SENSITIVITY_L2, "california", "model difference at the end - its smallest", min)
            > 0
        ),
        "along min-max's curve; the step of either is chosen on the first half of the seeds, and judged on the others",
        normalizations=["minmax"],
    ),
    california(
        "min-max is the least aligned normalisation.",
        stronger(Work.RAG_GD, TEXT, "introduces instability on such skewed datasets"),
        results.for_each(
            normalization.OTHERS,
            lambda other: (
                (normalization.beside(results.cosine, "california", other) < 0)
                & (normalization.beside(results.sensitivity, "california", other) > 0)
            ),
        ),
        "each in the inputs of its own run, as the paper measures them",
    ),
    california(
        "that is so by the units alone; in z-scored inputs min-max aligns better than z-score.",
        LAB,
        (normalization.beside(results.cosine_z, "california", "zscore") > 0)
        & (normalization.beside(results.sensitivity_z, "california", "zscore") < 0),
        normalizations=["minmax", "zscore"],
    ),
    california(
        "on highly skewed columns, population and income among them, min-max compresses the majority of the samples "
        "into a narrow interval.",
        said(Work.RAG_GD, TEXT, "the majority of samples are compressed"),
        normalization.skewed(
            "california",
            "width of the middle half",
            lambda row: row.number(Inputs.UPPER_QUARTILE) - row.number(Inputs.LOWER_QUARTILE),
            named=("Population", "MedInc"),
        )
        < normalization.NARROW,
        "of the training rows; min-max makes the whole width 1",
        normalizations=(),
    ),
    california(
        "with min-max the model distributes its weights less evenly over the features than with z-score.",
        stronger(Work.RAG_GD, TEXT, "distribute weights unevenly across feature dimensions"),
        normalization.is_more_uneven(normalization.unevenness, "california"),
        "of the mean absolute derivatives by each input of the run itself; the source gives no measure",
        normalizations=["minmax", "zscore"],
    ),
    california(
        "that is so in common units as well.",
        LAB,
        normalization.is_more_uneven(normalization.unevenness_z, "california"),
        normalizations=["minmax", "zscore"],
    ),
)
