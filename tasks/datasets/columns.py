"""Columns of inputs.csv and of retrieval.csv. No NumPy here: claims read them."""

from enum import StrEnum


class Inputs(StrEnum):
    """One row per input column of a table, with statistics of its normalised values in the training rows."""

    COLUMN = "column"  # its name
    MEAN = "mean"
    DEVIATION = "deviation"
    LEAST = "least"
    MOST = "most"
    MIDDLE_90 = "middle_90"  # the distance of its 5% and 95% quantiles
    LOWER_QUARTILE = "lower_quartile"
    MEDIAN = "median"
    UPPER_QUARTILE = "upper_quartile"
    SKEWNESS = "skewness"  # the mean cube of z-scores; 0 of a constant column


class Retrieved(StrEnum):
    """One row per normalisation of the corpus: what dot products of inputs, as a run normalises them, with its rows
    retrieve for the test rows of a table."""

    CORPUS = "corpus"  # zscore, or inputs: as the run normalises its inputs
    KEPT = "kept"  # share of the documents that are retrieved again for the test rows with noise on their inputs
    STDERR = "kept.stderr"  # over the test rows
    DIFFERENT = "different"  # number of different documents of all test rows
    MOST_FREQUENT = "most_frequent"  # share of the ten most frequent documents among all
