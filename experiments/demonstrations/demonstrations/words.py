"""The headline numbers of `demonstrations` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "ndcg_10.{method}.{queries}": Word(
        "nDCG@10, {method}, {queries} queries",
        "nDCG@10 on test queries with demonstrations chosen by {method}, scored on {queries} validation queries.",
    ),
}
