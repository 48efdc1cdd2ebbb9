"""Recommenders where popularity moves over time, tested on every user's last item and on items after one moment."""

from experiments.recommendation.recommend import figure as recommend
from experiments.recommendation.recommend.results import BY_TIME

CAPTION = (
    "nDCG@10 and Recall@10 of the item that a user takes next, mean over seeds; bars are two standard errors. What is "
    "popular changes over time. Leave one out: a user's last item, whenever it was taken, so that others' later items "
    "are in the training. Global time: the first item after a moment that is the same for all, before which all "
    "training was. "
    "Left: among 50 candidates: the item and 49 others, drawn uniformly. Right: among all items. `chance` is a random "
    "order; `truth` ranks by the utilities that items were drawn by, which no recommender knows."
)
CLAIMS = BY_TIME
draw = recommend.draw
