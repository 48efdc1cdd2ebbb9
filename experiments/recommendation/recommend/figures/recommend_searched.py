"""Recommenders beside gradient descent in context on demonstrations that a search has chosen [LRGD, table 2]."""

from analysis.figures.cited import Work, own, stronger
from analysis.figures.claim import Claim
from experiments.recommendation.recommend import figure as recommend
from experiments.recommendation.recommend.claims import better, every, learned_by
from experiments.recommendation.recommend.columns import Table

CAPTION = (
    "nDCG@10 and Recall@10 of the item that a user takes next, mean over seeds; bars are two standard errors. "
    "Demonstrations: the trained step of gradient descent in context answers from some of the user's past, which a "
    "search chose by the latest others, or which are random, all of the pool, or none. Left: among 50 candidates: the "
    "item and 49 others, drawn uniformly. Right: among all items. `chance` is a random order; `truth` ranks by the "
    "utilities that items were drawn by, which no recommender knows."
)
KEEPS = (Table.LEARNERS,)  # for the page, too
draw = recommend.draw
OF_DESCENT = learned_by("descent")

# A search and gradient descent stand for a language model that proposes demonstrations, and for one that reads them.
CLAIMS = (
    Claim(
        "Demonstrations that a search has chosen rank better than sequence models on the same users.",
        stronger(
            Work.LRGD,
            "section 4.3 and table 2",
            "outperforms other LLM-based methods as well as all traditional approaches",
        ),
        "nDCG@10 of three perturbed paths above that of the GRU and of the decoder, with either kind of candidates",
        better("three_paths", "gru", "sasrec"),
        controls=learned_by("descent", "gru", "sasrec"),
    ),
    Claim(
        "Demonstrations that a search has chosen rank better than none, and than a model trained without any.",
        stronger(Work.LRGD, "abstract", "better performance compared to zero-shot"),
        "nDCG@10 of three perturbed paths above that of the same learner without any demonstration, and of the model "
        "that was trained without the step",
        better("three_paths", "zero_shot", "low_rank"),
        controls=learned_by("descent", "low_rank"),
    ),
    Claim(
        "Demonstrations that a search has chosen rank better than as many random ones of the user.",
        own("derived here from LRGD, section 3.4: demonstrations are chosen by their effect on validation"),
        "nDCG@10 of one path above that of as many random ones, and of three perturbed paths, some of whose prompts "
        "are twice as long, above that of twice as many random ones",
        every(better("one_path", "random"), better("three_paths", "random_twice")),
        controls=OF_DESCENT,
    ),
    Claim(
        "Demonstrations that a search has chosen rank better than all of the user's demonstrations.",
        own("derived here from LRGD, section 3.4: demonstrations are chosen by their effect on validation"),
        "nDCG@10 of three perturbed paths above that of the same learner with the user's whole past",
        better("three_paths", "descent"),
        controls=OF_DESCENT,
    ),
    Claim(
        "Three perturbed paths find better demonstrations than one path.",
        # The one path of the source lacks the regularising text, too.
        stronger(Work.LRGD, "section 4.5 and table 5", "further degrades performance"),
        "nDCG@10 of three perturbed paths above that of one path, with either kind of candidates",
        better("three_paths", "one_path"),
        controls=OF_DESCENT,
    ),
)
