"""The results of `language_recommend`: a language model's arms and ways beside the recommenders of `recommend`.

They are judged by differences of nDCG@10 that are paired over users, among sampled candidates: the language model does
not rank the whole catalogue.
"""

from analysis.figures.cited import Work, own, stronger
from analysis.figures.controls import Control
from analysis.figures.measures import on_the_same_users
from analysis.results.column import Headline
from analysis.results.declared import claim
from analysis.results.quantity import Bounds, Every
from analysis.tables.columns import Rounds
from experiments.recommendation.recommend.results import SAMPLED, among_sampled, gain, learned_by

SUM, MEAN, CALIBRATED = WAYS = ("sum", "mean", "calibrated")  # to compare log-probabilities
PRIOR = "prior"  # titles by their log-probability behind a past without content
NOTHING, OTHERS, OWN = ARMS = ("alone", "others", "own")  # demonstrations: none; of other users; of the user's own past
ROUNDS = "rounds"  # one row per seed, split, search and round, where demonstrations are searched (`Rounds`)
GAINS = {  # columns of that table: a round's measure minus the start's, on the same users
    Rounds.VALIDATION: "validation_gain",
    Rounds.NDCG_10: "ndcg_10_gain",
    Rounds.EFFECT: "effect_gain",
}


def name_of(arm: str, way: str) -> str:
    """Return the name of a learner: a language model with these demonstrations, and numbers compared in this way."""
    return f"{arm}_{way}"


HEADLINES = (
    Headline("ndcg_10", "nDCG@10", "Mean nDCG@10 of the next item among sampled candidates.",
             among_sampled()),
)  # fmt: skip
ANSWER = (
    "among sampled candidates a language model that reads a user's latest items ranks the next one at nDCG@10 = "
    "{ndcg_10.alone_calibrated}, and {ndcg_10.prior} without reading any",
    "behind demonstrations of other users it reaches {ndcg_10.others_calibrated}, behind the user's own "
    "{ndcg_10.own_calibrated}",
    "behind demonstrations that a language model wrote and a search has chosen it reaches {ndcg_10.kept}, with "
    "perturbation {ndcg_10.perturbed}, and {ndcg_10.alone_mean} without any",
    "popularity reaches {ndcg_10.popularity}, a Markov chain {ndcg_10.markov} and a decoder {ndcg_10.sasrec}",
)


def above(learner: str, other: str) -> Bounds:
    """Return the bound of nDCG@10 among sampled candidates that is above another's, on the same users."""
    return gain(learner, other, on_the_same_users, [SAMPLED]) > 0


ALONE, BEHIND_OTHERS, BEHIND_OWN = (name_of(arm, CALIBRATED) for arm in ARMS)
READS = Control("the language model ranks better for what a user watched", above(ALONE, PRIOR))
CLAIMS = (
    claim(
        "A language model ranks the next item better behind demonstrations than without, of other users and of the "
        "user's own past.",
        stronger(Work.LRGD, "abstract", "better performance compared to zero-shot"),
        above(BEHIND_OTHERS, ALONE) & above(BEHIND_OWN, ALONE),
        "log-probabilities are calibrated; the source searches for its demonstrations",
        controls=(READS,),
    ),
    claim(
        "Behind the user's own past a language model ranks the next item better than behind other users'.",
        own("derived here from LRGD, section 3.4: demonstrations of the same user"),
        above(BEHIND_OWN, BEHIND_OTHERS),
        controls=(READS,),
    ),
    claim(
        "A language model that reads a user's past ranks better than recommenders that are fitted to the log.",
        stronger(
            Work.LRGD,
            "section 4.3 and table 2",
            "outperforms other LLM-based methods as well as all traditional approaches",
        ),
        Every(tuple(above(BEHIND_OWN, other) for other in ("markov", "gru", "sasrec"))),
        "the source's model has 8 billion parameters, and its demonstrations are searched",
        controls=(READS, *learned_by("gru", "sasrec", mean=on_the_same_users)),
    ),
)
