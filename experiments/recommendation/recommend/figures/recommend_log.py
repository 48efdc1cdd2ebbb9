"""Recommenders of the next item in a log of real users: as `recommend`, but without the true utilities."""

from experiments.recommendation.recommend import figure as recommend
from experiments.recommendation.recommend.results import OF_A_LOG

CAPTION = (
    "nDCG@10 and Recall@10 of the item that a user of a real log takes next, mean over seeds, which differ in initial "
    "weights, batches and candidates; bars are two standard errors over seeds, or of one seed over users. One "
    "row per way of splitting the log. Left: among the item and others, drawn uniformly. Right: among all items. "
    "`chance` is a random order."
)
CLAIMS = OF_A_LOG
draw = recommend.draw
