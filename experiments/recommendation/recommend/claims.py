"""Claims about recommenders of the next item.

They are judged by differences of nDCG@10 that are paired over users, for every way of splitting the log that was run.
The errors are those over seeds, but not below those over all users.
"""

from collections.abc import Sequence

from analysis.figures import learned
from analysis.figures.cited import own
from analysis.figures.claim import Claim, Control, Judge
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.evidence import Condition, above
from analysis.figures.measures import negative, paired_over_users
from analysis.tables.select import NotMeasured, Row, distinct, rows_where, table
from experiments.recommendation.recommend.columns import Common, Curves, Differences, Learners, Table
from lab.runs.directory import RunDirectory

CANDIDATES = ("sampled", "all")


def gain(rows: list[Row], learner: str, other: str) -> Estimate:
    """Return nDCG@10 of a learner minus that of another, from rows of differences.csv, which has each pair once."""

    def paired(one: str, two: str) -> Estimate:
        pair = rows_where(rows, {Common.LEARNER: one, Differences.OTHER: two})
        return paired_over_users(pair, Differences.DIFFERENCE)

    try:
        return paired(learner, other)
    except NotMeasured:
        return negative(paired(other, learner))


def better(learner: str, *others: str, splits: Sequence[str] = ()) -> Judge:
    """Return a judge of whether nDCG@10 is above that of each other learner, with both kinds of candidates.

    Args:
        splits: ways of splitting the log that are looked at; none: all that there are.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.DIFFERENCES)
        return [
            above(
                f"nDCG@10, {learner} - {other}, {_words(split)}, {candidates}",
                gain(rows_where(rows, {Common.SPLIT: split, Common.CANDIDATES: candidates}), learner, other),
            )
            for other in others
            for split in splits or distinct(rows, Common.SPLIT)
            for candidates in CANDIDATES
        ]

    return judge


def every(*judges: Judge) -> Judge:
    """Return a judge with the conditions of all these judges."""
    return lambda directory: [condition for judge in judges for condition in judge(directory)]


def judge_sampled(directory: RunDirectory) -> list[Condition]:
    """Use nDCG@10 of popularity / that of the truth, among sampled candidates minus among all items."""
    rows = table(directory, Table.LEARNERS)
    conditions = []
    for split in distinct(rows, Common.SPLIT):
        sampled, whole = (
            share_of_truth(rows_where(rows, {Common.SPLIT: split, Common.CANDIDATES: each}), "popularity")
            for each in CANDIDATES
        )
        conditions.append(above(f"share of the truth, sampled - all, {_words(split)}", sampled - whole))
    return conditions


def share_of_truth(rows: list[Row], learner: str) -> Estimate:
    """Return nDCG@10 of a learner / that of the true utilities, from rows of learners.csv."""
    number, truth = (
        estimate(rows_where(rows, {Common.LEARNER: name}), Learners.NDCG_10) for name in (learner, "truth")
    )
    return number / truth


def _words(split: str) -> str:
    return split.replace("_", " ")


def learned_by(*learners: str, splits: Sequence[str] = ()) -> tuple[Control, ...]:
    """Return the controls for claims about these trained recommenders: the answer without any context is popularity.

    Args:
        splits: ways of splitting the log in which they must be better than popularity; none: all that there are.
    """
    ahead = [better(name, "popularity", splits=splits) for name in learners]
    return (
        Control("it ranks better than popularity", every(*ahead)),
        Control(
            "the loss is flat at the end of training",
            every(*(learned.flat(Curves.LOSS, learner=name).judge for name in learners)),
        ),
    )


DESCENT = (
    Claim(
        "A step of gradient descent in context recommends better than the model from which it starts.",
        own("derived here from LRGD, eqs. 10 and 11: an answer in context as a step of gradient descent"),
        "nDCG@10 above that of the same model, trained without the step, with either kind of candidates",
        better("descent", "low_rank"),
        controls=learned_by("descent", "low_rank"),
    ),
    Claim(
        "It recommends as a sequence model does: better than a Markov chain.",
        own("derived here from LRGD, eqs. 10 and 11"),
        "nDCG@10 above that of the counted chain, with either kind of candidates",
        better("descent", "markov"),
        controls=learned_by("descent"),
    ),
)
SEQUENCES = learned_by("gru", "sasrec")
CLAIMS = (
    Claim(
        "Popularity is below a Markov chain, this below sequence models, and these are not above the true utilities.",
        own("derived here from the task, in which the next item depends on the one before and on a taste"),
        "nDCG@10 in this order, of the GRU and of the decoder, among sampled candidates and among all items",
        every(
            better("markov", "popularity"), better("gru", "markov"), better("sasrec", "markov"),
            better("truth", "gru", "sasrec"),
        ),
        controls=SEQUENCES,
    ),
    *DESCENT,
    Claim(
        "Popularity looks better among sampled candidates than it is.",
        own("derived here from the candidates, which are drawn uniformly"),
        "its share of the nDCG@10 of the true utilities is larger among sampled candidates than among all items",
        judge_sampled,
        controls=(),
    ),
)  # fmt: skip
OF_A_LOG = (
    Claim(
        "Popularity is below a Markov chain, and this below sequence models.",
        own("derived here from the order of a user's items"),
        "nDCG@10 in this order, of the GRU and of the decoder, among sampled candidates and among all items",
        every(better("markov", "popularity"), better("gru", "markov"), better("sasrec", "markov")),
        controls=SEQUENCES,
    ),
    *DESCENT,
)
