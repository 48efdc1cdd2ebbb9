"""The headline numbers of `recommend` as people read them."""

from analysis.figures.labels import Word

NAMES = {"leave_one_out": "leave one out", "global_time": "split by time"}

NUMBERS = {
    "ndcg_10.{learner}.{split}": Word(
        "nDCG@10, {learner}, {split}", "Mean nDCG@10 of {learner} among sampled candidates; {split}."
    ),
}
