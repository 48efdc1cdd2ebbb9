"""The headline numbers of `prompt_text` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "ndcg_10.{operation}": Word(
        "nDCG@10, {operation}", "Mean nDCG@10 of the decoder on test users; prompt: {operation}."
    ),
}
