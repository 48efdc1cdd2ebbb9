"""The results of `recommend`: columns, and claims on recommenders of the next item.

They are judged by differences of nDCG@10 that are paired over users, for every way of splitting the log that was run.
The errors are those over seeds, but not below those over all users.
"""

from collections.abc import Sequence

from analysis.figures import controls
from analysis.figures.cited import Work, own, stronger
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate
from analysis.figures.measures import negative, paired_over_users
from analysis.results.column import Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Every, Numbers, Quantity
from analysis.tables.select import NotMeasured, Row, distinct, rows_where, table
from lab.runs.directory import RunDirectory

LEARNERS, DIFFERENCES, CURVES = TABLES = ("learners", "differences", "curves")
SEED, SPLIT, CANDIDATES, LEARNER = "seed", "split", "candidates", "learner"  # their first columns
LAST, AFTER = "leave_one_out", "global_time"  # ways of splitting the log
SAMPLED, ALL = "sampled", "all"  # candidates
OTHER = "other"  # of differences.csv, which has each pair of learners once
DIFFERENCE = "difference"  # nDCG@10 of the learner - that of the other, on the same users
USERS = "users"  # how many the means are over; 0 for chance, which is exact
EXAMPLES = "examples"  # demonstrations of a prompt, of learners that answer from some of a user's
LOSS = "loss"  # of curves.csv: cross-entropy of the next item, on the same users of the training log at every step

ndcg = Column(LEARNERS, "ndcg_10", "nDCG@10", "Normalised discounted cumulative gain of the next item, among ten.",
              LEARNER)  # fmt: skip
recall = Column(LEARNERS, "recall_10", "Recall@10", "Share of users whose next item is among the first ten.", LEARNER)

HEADLINES = tuple(
    Headline(f"ndcg_10.{split}", f"nDCG@10, {words}", f"Mean nDCG@10 among sampled candidates; {words}.",
             ndcg.where(candidates=SAMPLED, split=split)["*"])
    for split, words in ((LAST, "leave one out"), (AFTER, "split by time"))
)  # fmt: skip
ANSWER = (
    "among sampled candidates a decoder ranks the last item of a user at nDCG@10 = {ndcg_10.leave_one_out.sasrec}, a "
    "Markov chain at {ndcg_10.leave_one_out.markov} and popularity at {ndcg_10.leave_one_out.popularity}",
    "the true utilities reach {ndcg_10.leave_one_out.truth}",
    "gradient descent in context reaches {ndcg_10.leave_one_out.descent}, and the model from which it starts "
    "{ndcg_10.leave_one_out.low_rank}",
    "on searched demonstrations it reaches {ndcg_10.leave_one_out.three_paths}, and without any "
    "{ndcg_10.leave_one_out.zero_shot}",
    "of the first item after a moment the decoder reaches {ndcg_10.global_time.sasrec}, a Markov chain "
    "{ndcg_10.global_time.markov} and popularity {ndcg_10.global_time.popularity}",
)


def gain(learner: str, other: str, splits: Sequence[str] = ()) -> Quantity:
    """Return nDCG@10 of a learner minus that of another, on the same users, with both kinds of candidates.

    Args:
        splits: ways of splitting the log that are looked at; none: all that there are.
    """

    def numbers(directory: RunDirectory) -> Numbers:
        rows = table(directory, DIFFERENCES)
        return {
            f"{split.replace('_', ' ')}, {kind}": _paired(
                rows_where(rows, {SPLIT: split, CANDIDATES: kind}), learner, other
            )
            for split in splits or distinct(rows, SPLIT)
            for kind in (SAMPLED, ALL)
        }

    return Quantity(ndcg.label, f"{learner} - {other}", numbers, "with either kind of candidates,")


def _paired(rows: list[Row], learner: str, other: str) -> Estimate:
    try:
        return paired_over_users(rows_where(rows, {LEARNER: learner, OTHER: other}), DIFFERENCE)
    except NotMeasured:
        return negative(paired_over_users(rows_where(rows, {LEARNER: other, OTHER: learner}), DIFFERENCE))


def better(learner: str, *others: str, splits: Sequence[str] = ()) -> Every:
    """Return the bounds of nDCG@10 that is above that of each other learner."""
    return Every(tuple(gain(learner, other, splits) > 0 for other in others))


def share_of_truth(learner: str, candidates: str) -> Quantity:
    """Return nDCG@10 of a learner / that of the true utilities, for every way of splitting the log."""
    of_learner, of_truth = (ndcg.where(candidates=candidates).along(SPLIT, name) for name in (learner, "truth"))
    return of_learner / of_truth


def falls(*learners: str) -> Every:
    """Return the bounds of shares of the truth's nDCG@10 that are smaller after a moment than on last items."""

    def share(split: str, learner: str) -> Quantity:
        column = ndcg.where(candidates=SAMPLED, split=split)
        return column[learner] / column["truth"]

    return Every(tuple(share(AFTER, learner) - share(LAST, learner) < 0 for learner in learners))


def learned_by(*learners: str, splits: Sequence[str] = ()) -> tuple[Control, ...]:
    """Return the controls for claims about these trained recommenders: the answer without any context is popularity."""
    ahead = tuple(gain(name, "popularity", splits) > 0 for name in learners)
    flat = [controls.flat(LOSS, learner=name) for name in learners]
    return (Control("it ranks better than popularity", Every(ahead)), *flat)


ORDER = "derived here from the task, in which the next item depends on the one before and on a taste"
MOVES = own("derived here from the task, whose utilities change with time; the split by time also trains on less")
CHOSEN = own("derived here from LRGD, section 3.4: demonstrations are chosen by their effect on validation")
TRAINED = ("low_rank", "descent", "gru", "sasrec")
SEQUENCES, OF_DESCENT = learned_by("gru", "sasrec"), learned_by("descent")
IN_ORDER = better("markov", "popularity") & better("gru", "markov") & better("sasrec", "markov")
DESCENT = (
    claim(
        "A step of gradient descent in context recommends better than the model from which it starts, and than a "
        "Markov chain.",
        own("derived here from LRGD, eqs. 10 and 11: an answer in context as a step of gradient descent"),
        better("descent", "low_rank", "markov"),
        "the same model, trained without the step, and counted transitions",
        controls=learned_by("descent", "low_rank"),
    ),
)
CLAIMS = (
    claim(
        "Popularity is below a Markov chain, this below sequence models, and these are not above the true utilities.",
        own(ORDER),
        IN_ORDER & better("truth", "gru", "sasrec"),
        controls=SEQUENCES,
    ),
    *DESCENT,
    claim(
        "Popularity looks better among sampled candidates than it is.",
        own("derived here from the candidates, which are drawn uniformly"),
        share_of_truth("popularity", SAMPLED) - share_of_truth("popularity", ALL) > 0,
        controls=(),
    ),
)
OF_A_LOG = (
    claim(
        "Popularity is below a Markov chain, and this below sequence models.",
        own("derived here from the order of a user's items"),
        IN_ORDER,
        controls=SEQUENCES,
    ),
    *DESCENT,
)
BY_TIME = (
    claim(
        "Where popularity moves, popularity is nearer to the truth on every user's last item than after one moment.",
        MOVES,
        falls("popularity"),
        controls=(),
    ),
    claim(
        "Where popularity moves, trained recommenders are nearer to the truth on last items than after one moment.",
        MOVES,
        falls(*TRAINED),
        controls=learned_by(*TRAINED, splits=[LAST]),
    ),
)
# A search and gradient descent stand for a language model that proposes demonstrations, and for one that reads them.
SEARCHED = (
    claim(
        "Demonstrations that a search has chosen rank better than sequence models on the same users.",
        stronger(
            Work.LRGD,
            "section 4.3 and table 2",
            "outperforms other LLM-based methods as well as all traditional approaches",
        ),
        better("three_paths", "gru", "sasrec"),
        controls=learned_by("descent", "gru", "sasrec"),
    ),
    claim(
        "Demonstrations that a search has chosen rank better than none, and than a model trained without any.",
        stronger(Work.LRGD, "abstract", "better performance compared to zero-shot"),
        better("three_paths", "zero_shot", "low_rank"),
        "the same learner without any demonstration, and the model that was trained without the step",
        controls=learned_by("descent", "low_rank"),
    ),
    claim(
        "Demonstrations that a search has chosen rank better than all of the user's demonstrations.",
        CHOSEN,
        better("three_paths", "descent"),
        "the same learner with the user's whole past",
        controls=OF_DESCENT,
    ),
)
