"""Columns of tables that metrics give, and names of metrics that are columns. No JAX here: figures read them."""

from enum import StrEnum


class Metric(StrEnum):
    """Metrics of the trained Transformer's alignment with another learner (`analysis.metrics.alignment.align`).

    They are columns of seeds.csv and shift.csv, and `LEARNER.METRIC` those of curves.csv and points.csv.
    """

    PREDICTION_L2 = "prediction_l2"  # norm of the difference of predictions
    COSINE = "sensitivity_cosine"  # of the angle between the gradients of the predictions with respect to the query
    SENSITIVITY_L2 = "sensitivity_l2"  # norm of the difference of these gradients
    LOSS_DIFFERENCE = "loss_difference"  # the Transformer's loss minus the other's
    COSINE_Z = "sensitivity_cosine_z"  # of gradients in z-scored inputs, of a real table
    SENSITIVITY_L2_Z = "sensitivity_l2_z"


class Weights(StrEnum):
    """Columns of weights.csv: one row per block and circuit of the trained and the constructed Transformer."""

    BLOCK = "block"
    MATRIX = "matrix"  # the circuit
    NORM_TRAINED = "norm_trained"  # Frobenius norm
    NORM_CONSTRUCTED = "norm_constructed"
    # Norm of the difference relative to the constructed circuit's norm; NaN where that is zero.
    DISTANCE = "distance"
    # After adding up the copies of an input that is shown twice, which changes no function of one layer.
    DISTANCE_FOLDED = "distance_folded"
    DISTANCE_READ = "distance_read"  # folded, and only over entries on which a prediction can depend


class Predictions(StrEnum):
    """Columns of predictions.csv: one row per learner and layer, which compares the Transformer's read-out there with
    the learner's answer after as many steps, over episodes."""

    WITH = "with"  # the learner
    LAYER = "layer"
    CORRELATION = "correlation"  # Pearson's; NaN where either is constant
    SLOPE = "slope"  # of the least-squares line of the Transformer against the learner; NaN where that is constant
