"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, in the order in which they are written; the first where there are trained decoders."""

    REPLACED = "replaced"
    ERRORS = "errors"
    VARIANCES = "variances"
    PATH = "path"
    PATH_ENDS = "path_ends"
    SINGLE_PATHS = "single_paths"


class Features(StrEnum):
    """Columns that replaced.csv, errors.csv and variances.csv have in common.

    variances.csv, about estimates with one frequency each, has neither FREQUENCIES nor FEATURES.
    """

    MAP = "map"  # the feature map
    FREQUENCIES = "frequencies"  # iid or orthogonal
    FEATURES = "features"  # how many
    SEED = "seed"


class Quantile(StrEnum):
    """Columns of errors.csv and path.csv with quantiles over the problems."""

    LOW = "low"
    MEDIAN = "median"
    HIGH = "high"


class Decoders(StrEnum):
    """Columns of replaced.csv: one row per feature map, kind of frequencies, number of features and decoder."""

    ACCURACY = "accuracy"
    EXACT = "exact"  # accuracy on the same episodes with exact attention
    ZERO_SHOT = "zero_shot"  # the same without examples
    AGREEMENT = "agreement"  # share of the queries for which both give the same class


class Errors(StrEnum):
    """Columns of errors.csv: one row per feature map, kind of frequencies, number of features, norm and seed.

    The quantiles are those of the relative error of one attention output.
    """

    NORM = "norm"  # of queries and keys
    NORMALISER_NOT_POSITIVE = "normaliser_not_positive"  # share of the problems of which that is true


class Variances(StrEnum):
    """Columns of variances.csv: one row per feature map, norm, cosine and seed."""

    NORM = "norm"  # of x and y
    COSINE = "cosine"  # of the angle between them
    KERNEL = "kernel"  # exp(x . y)
    MEAN = "mean"  # of the estimates
    VARIANCE = "variance"  # of the estimates
    ORACLE = "oracle"  # the variance by formula


class Model(StrEnum):
    """Columns that path.csv, path_ends.csv and single_paths.csv have in common."""

    MODEL = "model"  # a feature map, or the kernel form
    FORM = "form"  # of the normaliser: fixed or ratio
    SEED = "seed"


class Path(StrEnum):
    """Columns of path.csv: one row per model, form, seed and number of demonstrations.

    The quantiles are those of the squared error of the output.
    """

    DEMONSTRATIONS = "demonstrations"  # learned so far, from 0 on
    MEAN = "mean"  # of the squared error


class PathEnds(StrEnum):
    """Columns of path_ends.csv: one row per model, form and seed."""

    LARGEST_END = "largest_end"  # the largest absolute error after the last demonstration
    FALLS_THROUGHOUT = "falls_throughout"  # share of paths on which every demonstration reduces the squared error
    RISES = "rises"  # share of the demonstrations that increase it


class SinglePaths(StrEnum):
    """Columns of single_paths.csv: one row per number of demonstrations, of some paths of the kernel form."""

    PATH = "path"  # the number of the problem
    DEMONSTRATIONS = "demonstrations"  # learned so far, from 0 on
    SQUARED_ERROR = "squared_error"
