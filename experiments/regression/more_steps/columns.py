"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    APPLICATIONS = "applications"
    RATES = "rates"


class Common(StrEnum):
    """The first columns of both tables."""

    LAYERS = "layers"  # how often the layer is applied in training
    SEED = "seed"  # of the training


class Losses(StrEnum):
    """Columns of applications.csv: one row per training, damping, learner and number of applications."""

    DAMPING = "damping"  # factor of the layer's update of the tokens, and of gradient descent's rate
    LEARNER = "learner"
    APPLICATIONS = "applications"  # from 1 on; of gradient descent its steps
    LOSS = "loss"  # mean over the test episodes, each at most `CAP`
    MEDIAN = "median"  # of the same losses
    DIVERGED = "diverged"  # share of the episodes whose loss is above `LARGE`


class Rates(StrEnum):
    """Columns of rates.csv: one row per training."""

    ETA = "eta"  # the best rate of as many steps of gradient descent
