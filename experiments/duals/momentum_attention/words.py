"""The headline numbers of `momentum_attention` as people read them."""

from analysis.figures.labels import Word

NAMES = {"none": "none", "rope": "rotary", "shift": "previous token alone"}

NUMBERS = {
    "half.{positions}.{variant}": Word(
        "excess at half, {positions} positions, {variant}",
        "Loss above the floor at half of the steps; positions: {positions}, momentum: {variant}.",
        "nats",
    ),
    "end.{positions}.{variant}": Word(
        "excess at the end, {positions} positions, {variant}",
        "Loss above the floor after training; positions: {positions}, momentum: {variant}.",
        "nats",
    ),
    "accuracy.{positions}.{variant}": Word(
        "accuracy, {positions} positions, {variant}",
        "Share of symbols predicted right after training; positions: {positions}, momentum: {variant}.",
    ),
}
