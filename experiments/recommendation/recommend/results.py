"""The results of `recommend`: columns, and claims on recommenders of the next item, in a log or by a search.

They are judged by differences of nDCG@10 that are paired over users, for every way of splitting the log that was run.
The errors are those over seeds, but not below those over all users. Seeds of a random log have users of their own; all
seeds of a real log share its users, so there the error over users is added in full.
"""

import dataclasses
from collections.abc import Callable, Sequence

from analysis.figures import controls
from analysis.figures.cited import Work, own, stronger
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate
from analysis.figures.measures import negative, on_the_same_users, paired_over_users
from analysis.results.column import Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Every, Numbers, Quantity
from analysis.tables.select import NotMeasured, Row, distinct, rows_where, table
from lab.runs.directory import RunDirectory

LEARNERS, DIFFERENCES, CURVES, USERS_OF = TABLES = ("learners", "differences", "curves", "users")
SEED, SPLIT, CANDIDATES, LEARNER = "seed", "split", "candidates", "learner"  # their first columns
CHANCE, TRUTH = "chance", "truth"  # of a random order, and of the true utilities, which nobody knows of a real log
LAST, AFTER = "leave_one_out", "global_time"  # ways of splitting the log
SAMPLED, ALL = "sampled", "all"  # candidates
OTHER = "other"  # of differences.csv, which has each pair of learners once
DIFFERENCE = "difference"  # nDCG@10 of the learner - that of the other, on the same users
USERS = "users"  # how many the means are over; 0 for chance, which is exact
TRAINING, NEW = "training", "new"  # of users.csv: users to learn from, and users whose items all come after the split
EXAMPLES = "examples"  # demonstrations of a prompt, of learners that answer from some of a user's
LOSS = "loss"  # of curves.csv: cross-entropy of the next item, on the same users of the training log at every step

ndcg = Column(LEARNERS, "ndcg_10", "nDCG@10", "Normalised discounted cumulative gain of the next item, among ten.",
              LEARNER)  # fmt: skip
recall = Column(LEARNERS, "recall_10", "Recall@10", "Share of users whose next item is among the first ten.", LEARNER)


def among_sampled(**fixed: str) -> Quantity:
    """Return nDCG@10 of each recommender among sampled candidates; of a real log with the error over its users, too."""
    column = ndcg.where(candidates=SAMPLED, **fixed)
    over_seeds, over_users = column["*"], dataclasses.replace(column, estimate_of=on_the_same_users)["*"]

    def numbers(directory: RunDirectory) -> Numbers:
        is_drawn = any(row[LEARNER] == TRUTH for row in table(directory, LEARNERS))
        return (over_seeds if is_drawn else over_users).numbers(directory)

    return dataclasses.replace(over_seeds, numbers=numbers)


HEADLINES = tuple(
    Headline(f"ndcg_10.{split}", f"nDCG@10, {words}", f"Mean nDCG@10 among sampled candidates; {words}.",
             among_sampled(split=split))
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


PairedMean = Callable[[list[Row], str], Estimate]  # rows of seeds and a column -> the number, with its error over users


def gain(
    learner: str, other: str, mean: PairedMean = paired_over_users, kinds: Sequence[str] = (SAMPLED, ALL)
) -> Quantity:
    """Return nDCG@10 of a learner minus another's, on the same users, for each split and kind of candidates.

    Args:
        mean: `on_the_same_users` for a real log, whose users all seeds share.
    """

    def numbers(directory: RunDirectory) -> Numbers:
        rows = table(directory, DIFFERENCES)
        return {
            f"{split.replace('_', ' ')}, {kind}": _paired(
                rows_where(rows, {SPLIT: split, CANDIDATES: kind}), learner, other, mean
            )
            for split in distinct(rows, SPLIT)
            for kind in kinds
        }

    places = "with either kind of candidates," if len(kinds) > 1 else f"among {kinds[0]} candidates,"
    return Quantity(ndcg.label, f"{learner} - {other}", numbers, places)


def _paired(rows: list[Row], learner: str, other: str, mean: PairedMean) -> Estimate:
    try:
        return mean(rows_where(rows, {LEARNER: learner, OTHER: other}), DIFFERENCE)
    except NotMeasured:
        return negative(mean(rows_where(rows, {LEARNER: other, OTHER: learner}), DIFFERENCE))


def better(learner: str, *others: str, mean: PairedMean = paired_over_users) -> Every:
    """Return the bounds of nDCG@10 that is above that of each other learner."""
    return Every(tuple(gain(learner, other, mean) > 0 for other in others))


def learned_by(*learners: str, mean: PairedMean = paired_over_users) -> tuple[Control, ...]:
    """Return the controls for claims about these trained recommenders: the answer without any context is popularity."""
    flat = [controls.flat(LOSS, learner=name) for name in learners]
    return (
        Control(
            "it ranks better than popularity", Every(tuple(gain(name, "popularity", mean) > 0 for name in learners))
        ),
        *flat,
    )


OF_A_LOG = (
    claim(
        "Popularity is below a Markov chain, and this below sequence models.",
        own("derived here from the order of a user's items"),
        better("markov", "popularity", mean=on_the_same_users)
        & better("gru", "markov", mean=on_the_same_users)
        & better("sasrec", "markov", mean=on_the_same_users),
        controls=learned_by("gru", "sasrec", mean=on_the_same_users),
    ),
    claim(
        "A step of gradient descent in context recommends better than the model from which it starts, and than a "
        "Markov chain.",
        own("derived here from LRGD, eqs. 10 and 11: an answer in context as a step of gradient descent"),
        better("descent", "low_rank", "markov", mean=on_the_same_users),
        "the same model, trained without the step, and counted transitions",
        controls=learned_by("descent", "low_rank", mean=on_the_same_users),
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
        own("derived here from LRGD, section 3.4: demonstrations are chosen by their effect on validation"),
        better("three_paths", "descent"),
        "the same learner with the user's whole past",
        controls=learned_by("descent"),
    ),
)
