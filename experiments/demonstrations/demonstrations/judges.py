"""Functions that judge claims about search for demonstrations.

They look at differences of nDCG@10 that are paired over users, at every number of validation queries that was
run. The errors are those over seeds, but not below those over all users.
"""

from collections.abc import Callable

from analysis.figures import learned
from analysis.figures.estimates import Estimate, combine, estimate
from analysis.figures.evidence import Condition, above, below
from analysis.figures.measures import negative, paired_over_users
from analysis.tables.columns import Rounds
from analysis.tables.select import NotMeasured, Row, distinct, numbers, rows_where, table
from experiments.demonstrations.demonstrations.columns import (
    CURVES,
    Agreement,
    Common,
    Curves,
    Differences,
    Methods,
    Table,
)
from lab.runs.directory import RunDirectory

INFERIOR = -0.005  # nDCG@10: a method that is not worse by more than this counts as equally good
FEW = 5  # validation queries

Judge = Callable[[RunDirectory], list[Condition]]


def gain(rows: list[Row], method: str, other: str, count: float) -> Estimate:
    """Return nDCG@10 of a method minus that of another, from rows of differences.csv, which has each pair once."""

    def paired(one: str, two: str) -> Estimate:
        pair = {Common.QUERIES: count, Differences.METHOD: one, Differences.OTHER: two}
        return paired_over_users(rows_where(rows, pair), Differences.DIFFERENCE)

    try:
        return paired(method, other)
    except NotMeasured:
        return negative(paired(other, method))


def better(method: str, *others: str, low: float = 0.0, most: float = float("inf")) -> Judge:
    """Return a judge of whether nDCG@10 of a method is above that of each other method.

    Args:
        low: the bound of the difference.
        most: the largest number of validation queries that is judged.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.DIFFERENCES)
        return [
            above(f"nDCG@10, {_words(method)} - {_words(other)}, V = {count:g}", gain(rows, method, other, count), low)
            for other in others
            for count in distinct(rows, Common.QUERIES)
            if count <= most
        ]

    return judge


def of_family(family: str, directory: RunDirectory) -> list[str]:
    """Return the methods of a family, those with the fewest demonstrations first: random_8 and random_16.

    Raises:
        NotMeasured: there is none.
    """
    methods = {row.text(Methods.METHOD) for row in table(directory, Table.METHODS)}
    names = [method for method in methods if method.startswith(f"{family}_")]
    if not names:
        raise NotMeasured(f"no prompt {family}")
    return sorted(names, key=lambda each: int(each.rpartition("_")[2]))


def _similarity(rows: list[Row], method: str, column: str, count: float) -> Estimate:
    return estimate(rows_where(rows, {Methods.METHOD: method, Common.QUERIES: count}), column)


def judge_alike(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.METHODS)
    return [
        above(
            f"similarity in the last round - in the second, V = {count:g}",
            _similarity(rows, "one", Methods.SIMILARITY_LAST, count)
            - _similarity(rows, "one", Methods.SIMILARITY_FIRST, count),
        )
        for count in distinct(rows, Common.QUERIES)
    ]


def judge_margin(directory: RunDirectory) -> list[Condition]:
    rounds = table(directory, Table.ROUNDS)
    counts = distinct(rounds, Common.QUERIES)
    return [below(f"later - earlier gain, V = {count:g}", _later_gain(rounds, count)) for count in counts]


def _later_gain(rounds: list[Row], count: float) -> Estimate:
    """Return the gain of nDCG@10 in the second half of the rounds, minus that in the first half."""
    rows = rows_where(rounds, {Rounds.METHOD: "one", Common.QUERIES: count})
    last = max(numbers(rows, Rounds.ROUND))
    first, half, end = (
        estimate(rows_where(rows, {Rounds.ROUND: number}), Rounds.NDCG_10) for number in (1, (last + 1) // 2, last)
    )
    return combine(lambda a, b, c: (c - b) - (b - a), first, half, end)


def judge_perturbation(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.METHODS)
    similarities = [
        below(
            f"similarity in the last round, perturbed - not, V = {count:g}",
            _similarity(rows, "three_path", Methods.SIMILARITY_LAST, count)
            - _similarity(rows, "three", Methods.SIMILARITY_LAST, count),
        )
        for count in distinct(rows, Common.QUERIES)
    ]
    return similarities + better("three_path", "three")(directory)


def judge_agreement(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.AGREEMENT)
    return [
        above(
            f"correlation within users, V = {count:g}",
            estimate(rows_where(rows, {Common.QUERIES: count}), Agreement.CORRELATION),
        )
        for count in distinct(rows, Common.QUERIES)
    ]


def judge_single_query(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.DIFFERENCES)
    if 1 not in distinct(rows, Common.QUERIES):
        raise NotMeasured("no search with one validation query")
    return [above("nDCG@10, 3 paths, perturbed - whole pool, V = 1", gain(rows, "three_path", "whole_pool", 1))]


def judge_singles(directory: RunDirectory) -> list[Condition]:
    singles = of_family("singles", directory)[-1]
    return better(singles, "three_path", "long_more", low=INFERIOR, most=FEW)(directory)


def judge_few(directory: RunDirectory) -> list[Condition]:
    """Compare the fewest random demonstrations with none."""
    fewest, *_ = of_family("random", directory)
    return better(fewest, "zero_shot")(directory)


def judge_learned(directory: RunDirectory) -> list[Condition]:
    """Compare more random demonstrations with fewer: only a learner that uses them gains by more of them."""
    fewer, *_, more = of_family("random", directory)
    return better(more, fewer)(directory)


def judge_flat(directory: RunDirectory) -> list[Condition]:
    """Return no condition where there are no curves: gradient descent and ridge regression are not trained."""
    return [*learned.flat(Curves.LOSS).judge(directory)] if directory.has_table(CURVES) else []


def _words(method: str) -> str:
    return method.replace("_", " ")
