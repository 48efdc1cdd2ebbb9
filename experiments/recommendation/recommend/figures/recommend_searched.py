"""Recommenders beside gradient descent in context on demonstrations that a search has chosen [LRGD, table 2]."""

from experiments.recommendation.recommend import figure as recommend
from experiments.recommendation.recommend.results import LEARNERS, SEARCHED

CAPTION = (
    "nDCG@10 and Recall@10 of the item that a user takes next, mean over seeds; bars are two standard errors. "
    "Demonstrations: the trained step of gradient descent in context answers from some of the user's past, which a "
    "search chose by the latest others, or which are random, all of the pool, or none. Left: among 50 candidates: the "
    "item and 49 others, drawn uniformly. Right: among all items. `chance` is a random order; `truth` ranks by the "
    "utilities that items were drawn by, which no recommender knows."
)
KEEPS = (LEARNERS,)  # for the page, too
CLAIMS = SEARCHED
draw = recommend.draw
