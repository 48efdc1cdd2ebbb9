"""The headline numbers of `comparison` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "loss.oracle": Word("loss, best single step", "Loss of the best single step of descent, by theory."),
    "loss.{learner}": Word("loss, {learner}", "Mean loss of {learner} on the test episodes."),
    "eta": Word("eta of gradient descent", "Rate of gradient descent, the best of a line search."),
    "{learner}.prediction_l2": Word(
        "prediction difference, {learner}", "Mean L2 distance of the trained Transformer's predictions from {learner}."
    ),
    "{learner}.sensitivity_cosine": Word(
        "cosine of sensitivities, {learner}",
        "Mean cosine of the input gradients of the trained Transformer and of {learner}.",
    ),
    "{learner}.sensitivity_l2": Word(
        "sensitivity difference, {learner}",
        "Mean L2 distance of the input gradients of the trained Transformer and of {learner}.",
    ),
    "{learner}.sensitivity_cosine_z": Word(
        "cosine of sensitivities (z-scored inputs), {learner}",
        "Mean cosine of the gradients by z-scored inputs with those of {learner}.",
    ),
    "{learner}.sensitivity_l2_z": Word(
        "sensitivity difference (z-scored inputs), {learner}",
        "Mean L2 distance of the gradients by z-scored inputs from those of {learner}.",
    ),
    "{learner}.loss_difference": Word(
        "loss difference, {learner}", "Mean loss of the trained Transformer minus that of {learner}, same episodes."
    ),
    "{own}.{learner}.prediction_l2": Word(
        "prediction difference, {own} and {learner}", "Mean L2 distance of the predictions of {own} and {learner}."
    ),
    "{own}.{learner}.sensitivity_cosine": Word(
        "cosine of sensitivities, {own} and {learner}", "Mean cosine of the input gradients of {own} and {learner}."
    ),
    "{own}.{learner}.sensitivity_l2": Word(
        "sensitivity difference, {own} and {learner}",
        "Mean L2 distance of the input gradients of {own} and {learner}.",
    ),
    "{own}.{learner}.loss_difference": Word(
        "loss difference, {own} and {learner}", "Mean loss of {own} minus that of {learner}, same episodes."
    ),
}
