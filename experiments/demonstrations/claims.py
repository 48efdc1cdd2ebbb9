"""Claims about search for demonstrations.

They are judged by differences of nDCG@10 that are paired over users, at every number of validation queries that was
run. The errors are those over seeds, but not below those over all users.
"""

from collections.abc import Callable

from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, Estimate, above, below, combine, estimate
from analysis.figures.measures import negative, paired_over_users
from analysis.tables.select import NotMeasured, Row, distinct, numbers, rows_where, table
from experiments.demonstrations.columns import Agreement, Common, Differences, Methods, Rounds, Table
from lab.runs.directory import RunDirectory

SOURCE, OURS = "LRGD", "this lab"
COLLAPSED = 0.6  # similarity: as in the search
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


def longest(family: str) -> Callable[[RunDirectory], str]:
    """Return a function that finds the method of a family with the most demonstrations.

    Of random_8 and random_16 it is random_16.
    """

    def name(directory: RunDirectory) -> str:
        methods = {row.text(Methods.METHOD) for row in table(directory, Table.METHODS)}
        names = [method for method in methods if method.startswith(f"{family}_")]
        if not names:
            raise NotMeasured(f"no prompt {family}")
        return max(names, key=lambda each: int(each.rpartition("_")[2]))

    return name


def _similarity(rows: list[Row], method: str, column: str, count: float) -> Estimate:
    return estimate(rows_where(rows, {Methods.METHOD: method, Common.QUERIES: count}), column)


def judge_collapse(directory: RunDirectory) -> list[Condition]:
    rows, rounds = table(directory, Table.METHODS), table(directory, Table.ROUNDS)
    conditions = []
    for count in distinct(rows, Common.QUERIES):
        similarity = _similarity(rows, "one", Methods.SIMILARITY_LAST, count)
        conditions.append(above(f"similarity in the last round, V = {count:g}", similarity, COLLAPSED))
        conditions.append(below(f"later - earlier gain, V = {count:g}", _later_gain(rounds, count)))
    return conditions


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
    return better(longest("singles")(directory), "three_path", "long_more", low=INFERIOR, most=FEW)(directory)


def _words(method: str) -> str:
    return method.replace("_", " ")


CLAIMS = (
    Claim(
        "Iterative optimisation collapses: sets become alike, and gains shrink.",
        SOURCE,
        "in one path similarity with the round before is above .6 in the last round, and the second half of the rounds "
        "gains less nDCG@10 than the first, at every number of validation queries",
        judge_collapse,
    ),
    Claim(
        "Perturbation by another path's demonstrations lowers similarity and raises nDCG@10.",
        SOURCE,
        "against three paths without perturbation: similarity in the last round below, nDCG@10 on test above",
        judge_perturbation,
    ),
    Claim(
        "It does so by diversity, and not by longer prompts.",
        OURS,
        "nDCG@10 above that of one path with sets as long as perturbed prompts and as many evaluations, and above that "
        "of the union of three unperturbed paths",
        better("three_path", "long_more", "union"),
    ),
    Claim(
        "What is appended must be good demonstrations.",
        OURS,
        "nDCG@10 with another path's set appended above that with random demonstrations appended",
        better("three_path", "three_random"),
    ),
    Claim(
        "Two perturbed paths are better than one path.",
        SOURCE,
        "nDCG@10 of two perturbed paths above that of one",
        better("two_path", "one"),
    ),
    Claim(
        "Three perturbed paths are better than two.",
        SOURCE,
        "nDCG@10 of three perturbed paths above that of two",
        better("three_path", "two_path"),
    ),
    Claim(
        "Three paths without perturbation are more than three times the proposals.",
        OURS,
        "nDCG@10 of three paths above that of one path with as many evaluations",
        better("three", "one_more"),
    ),
    Claim(
        "Effect_D on validation queries foretells Effect_D on test queries.",
        SOURCE,
        "over random sets of a user the two are correlated, at every number of validation queries",
        judge_agreement,
    ),
    Claim(
        "With a single validation query the search finds a better prompt than all demonstrations together.",
        SOURCE,
        "nDCG@10 of three perturbed paths above that of the whole pool, at V = 1",
        judge_single_query,
    ),
    Claim(
        "With few validation queries ranking single demonstrations by Effect_D is as good as the search.",
        OURS,
        "up to V = 5 nDCG@10 of the best singles, as many as in a perturbed prompt, not below that of three perturbed "
        "paths and of the long search with as many evaluations, by more than .005",
        judge_singles,
    ),
)
