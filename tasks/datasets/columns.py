"""Columns of inputs.csv. No NumPy here: claims read them."""

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
