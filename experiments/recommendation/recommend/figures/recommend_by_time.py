"""Recommenders where popularity moves over time, tested on every user's last item and on items after one moment."""

from analysis.figures.cited import own
from analysis.figures.claim import Claim, Judge
from analysis.figures.evidence import Condition, below
from analysis.tables.select import rows_where, table
from experiments.recommendation.recommend import figure as recommend
from experiments.recommendation.recommend.claims import learned_by, share_of_truth
from experiments.recommendation.recommend.columns import Common, Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "nDCG@10 and Recall@10 of the item that a user takes next, mean over seeds; bars are two standard errors. What is "
    "popular changes over time. Leave one out: a user's last item, whenever it was taken, so that others' later items "
    "are in the training. Global time: the first item after a moment that is the same for all, before which all "
    "training was. "
    "Left: among 50 candidates: the item and 49 others, drawn uniformly. Right: among all items. `chance` is a random "
    "order; `truth` ranks by the utilities that items were drawn by, which no recommender knows."
)
LAST, AFTER = "leave_one_out", "global_time"
TRAINED = ("low_rank", "descent", "gru", "sasrec")

draw = recommend.draw


def falls(*learners: str) -> Judge:
    """Return a judge of whether learners' share of the truth's nDCG@10 is smaller after a moment than on last items."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = rows_where(table(directory, Table.LEARNERS), {Common.CANDIDATES: "sampled"})
        last_items, later_items = (rows_where(rows, {Common.SPLIT: split}) for split in (LAST, AFTER))
        return [
            below(
                f"share of the truth's nDCG@10, {learner}, global time - leave one out",
                share_of_truth(later_items, learner) - share_of_truth(last_items, learner),
            )
            for learner in learners
        ]

    return judge


CLAIMS = (
    Claim(
        "Where popularity moves, popularity is nearer to the truth on every user's last item than after one moment.",
        own("derived here from the task, whose utilities change with time; the split by time also trains on less"),
        "among sampled candidates, its share of the true utilities' nDCG@10 is smaller where the split is by time",
        falls("popularity"),
        controls=(),
    ),
    Claim(
        "Where popularity moves, trained recommenders are nearer to the truth on last items than after one moment.",
        own("derived here from the task, whose utilities change with time; the split by time also trains on less"),
        "among sampled candidates, the share of each in the nDCG@10 of the true utilities is smaller where the split "
        "is by time",
        falls(*TRAINED),
        controls=learned_by(*TRAINED, splits=[LAST]),
    ),
)
