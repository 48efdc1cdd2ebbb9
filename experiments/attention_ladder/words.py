"""The headline numbers of `attention_ladder` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "accuracy.{rung}": Word(
        "accuracy, {rung}", "Share of test queries answered right with this attention in place of softmax."
    ),
    "agreement.{rung}": Word(
        "agreement, {rung}", "Share of test queries for which the answer is that of the decoder with softmax."
    ),
}
