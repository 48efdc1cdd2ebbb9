"""The results of search for demonstrations [LRGD]: columns, and claims over seeds with users of their own.

Every number is a mean over users, and differences are of the same users. Their errors are over seeds, but not below
those over all users. Bounds hold at every number of validation queries that was run.
"""

import dataclasses

from analysis.figures import controls
from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.controls import Control
from analysis.figures.evidence import Condition
from analysis.figures.measures import negative, paired_over_users
from analysis.results.column import FIRST, LAST, Choice, Column, Headline, up_to
from analysis.results.declared import claim
from analysis.results.quantity import Every, Numbers, Quantity
from analysis.tables.columns import Rounds
from analysis.tables.select import NotMeasured, Row, table
from lab.runs.directory import RunDirectory

ROUNDS = "rounds"  # the table with one row per seed, number of validation queries, search and round (`Rounds`)
ENDS = "methods"  # per seed, number of queries and way of choosing, a search or a prompt that no search made
DIFFERENCES = "differences"  # per seed, number of queries and pair of ways of choosing
AGREEMENT = "agreement"  # per seed and number of queries
TABLES = (ROUNDS, ENDS, DIFFERENCES, AGREEMENT)
CURVES = "curves"  # of a learner that is trained; others have none. One training serves all numbers of queries
SEED, QUERIES, METHOD, OTHER = "seed", "queries", "method", "other"  # queries for validation
EXAMPLES, EVALUATIONS, LOSS = "examples", "evaluations", "loss"  # shown; sets that a user's search scores

chosen = Column(ROUNDS, Rounds.VALIDATION, "Effect_D on validation", "Of the prompt that is chosen in a round.", METHOD)
reached = Column(ROUNDS, Rounds.NDCG_10, "nDCG@10 on test", "Of the prompt that is chosen in a round.", METHOD)
similarity = Column(ROUNDS, Rounds.SIMILARITY, "similarity with the round before", "Of a path's sets.", METHOD)
ndcg = Column(ENDS, "ndcg_10", "nDCG@10", "On test queries, with the demonstrations that are chosen.", METHOD)
effect = Column(ENDS, "effect", "Effect_D on test", "With the demonstrations that are chosen.", METHOD)
validation = Column(ENDS, "validation", "Effect_D on validation", "Of the demonstrations that are chosen.", METHOD)
similarity_first = Column(ENDS, "similarity_first", "similarity in the second round", "With the first round.", METHOD)
similarity_last = Column(
    ENDS, "similarity_last", "similarity in the last round", "Of a path's set with that of the round before.", METHOD
)
difference = Column(DIFFERENCES, "difference", "nDCG@10", "Of a way of choosing minus another, on the same users.",
                    METHOD, estimate_of=paired_over_users)  # fmt: skip
correlation = Column(AGREEMENT, "correlation", "correlation within users", "Of Effect_D on validation and on test, "
                     "over random sets.", QUERIES)  # fmt: skip
HALF_WAY = Choice("half-way", lambda rounds: [(rounds[-1] + 1) // 2])
INFERIOR = -0.005  # nDCG@10: what is not worse by more than this counts as equally good
FEW = 5  # validation queries


def ahead(method: str, other: str, columns: str | tuple[str, ...] = QUERIES, **where) -> Quantity:
    """Return nDCG@10 of a way of choosing minus another, at every value of other columns.

    Args:
        method, other: their names; "fewest random" is the one of the names random_NUMBER with the lowest number, and
            "most singles" of singles_NUMBER with the highest.
        where: values of other columns, as of `Column.where`.
    """
    every = difference.where(**where).along(columns)

    def numbers(directory: RunDirectory) -> Numbers:
        rows = table(directory, DIFFERENCES)
        pair = _called(method, rows), _called(other, rows)
        is_there = any((row[METHOD], row[OTHER]) == pair for row in rows)  # the table has each pair once
        one, two = pair if is_there else reversed(pair)
        differences = difference.where(**{METHOD: one, OTHER: two}, **where).along(columns).numbers(directory)
        return differences if is_there else {place: negative(number) for place, number in differences.items()}

    subject = f"{method} - {other}".replace("_", " ")
    subject = ", ".join(filter(None, [subject, every.subject]))
    return Quantity(every.label, subject, numbers, every.places)


def _called(method: str, rows: list[Row]) -> str:
    end, _, family = method.rpartition(" ")
    methods = {row.text(column) for row in rows for column in (METHOD, OTHER)}
    if not end:
        return method
    numbers = [int(each.rpartition("_")[2]) for each in methods if each.startswith(f"{family}_")]
    if not numbers:
        raise NotMeasured(f"no prompt {family}")
    return f"{family}_{max(numbers) if end == 'most' else min(numbers)}"


def better(method: str, *others: str, low: float = 0, **where) -> Every:
    """Return the bounds of a way of choosing whose nDCG@10 minus that of each of the others is above `low`."""
    return Every(tuple(ahead(method, other, **where) > low for other in others))


def is_flat(directory: RunDirectory) -> list[Condition]:
    """Return no condition where there are no curves: gradient descent and ridge regression are not trained."""
    return [*controls.flat(LOSS).judge(directory)] if directory.has_table(CURVES) else []


LEARNS = "the learner answers better from more random demonstrations than from fewer"
FLAT = Control("the loss of a learner that is trained is flat at the end of training", is_flat)
AT_THE_END = {"columns": (), QUERIES: LAST}
HEADLINES = (
    ndcg.where(queries=LAST),
    Headline("similarity_last", similarity_last.label, similarity_last.sentence,
             similarity_last.where(queries=LAST)["one"]),
    *(
        Headline(f"gain.{name}", f"nDCG@10, {words}", difference.sentence, ahead(*pair, **AT_THE_END))
        for name, words, *pair in (
            ("search", "search - random demonstrations", "one", "fewest random"),
            ("perturbation", "3 paths, perturbed - not", "three_path", "three"),
            ("equal", "3 paths, perturbed - one long path", "three_path", "long_more"),
        )
    ),
)  # fmt: skip
ANSWER = (
    "with the most validation queries the search by Effect_D reaches nDCG@10 = {ndcg_10.one}, above that of as many "
    "random demonstrations by {gain.search}",
    "in its last round a set's similarity with the one before is {similarity_last} (collapsed above {threshold})",
    "perturbation by another path gains {gain.perturbation}; compared with a search of equal prompt size and as many "
    "evaluations it gains {gain.equal}",
)

CONTROLS = (Control(LEARNS, ahead("most random", "fewest random") > 0), FLAT)
PATHS = "section 4.5 and table 5"
start, middle, end = (reached.where(round=each).along(QUERIES, "one") for each in (FIRST, HALF_WAY, LAST))
earlier, later = (
    dataclasses.replace(gain, label="nDCG@10 gained in rounds", subject=f"one, {half} half")
    for gain, half in ((middle - start, "first"), (end - middle, "second"))
)
perturbed, unperturbed = (similarity_last.along(QUERIES, method) for method in ("three_path", "three"))
CLAIMS = (
    claim(
        "In iterative optimisation sets become increasingly similar, and the margin of improvement diminishes.",
        stronger(Work.LRGD, "section 3.6, on collapse", "increasingly similar to one another"),
        (similarity_last.along(QUERIES, "one") - similarity_first.along(QUERIES, "one") > 0) & (later - earlier < 0),
    ),
    claim(
        "Perturbation by another path's demonstrations lowers similarity and raises nDCG@10.",
        said(
            Work.LRGD,
            "sections 3.6, 4.6 and figure 9",
            "significantly reduces the similarity between consecutive rounds",
        ),
        (perturbed - unperturbed < 0) & better("three_path", "three") & better("three_other", "three"),
        "that of the next path, or of a random other one",
    ),
    claim(
        "It does so by diversity, and not by longer prompts.",
        own("derived here from LRGD, section 3.6, in which a perturbed prompt is longer"),
        better("three_path", "long_more", "union"),
        "one path with sets as long as perturbed prompts and as many evaluations, and the union of three paths",
    ),
    claim(
        "What is appended must be good demonstrations.",
        own("derived here from LRGD, sections 3.5 and 3.6: random noise, or another path's demonstration"),
        ahead("three_path", "three_random") > 0,
        "with another path's set appended, and with random demonstrations",
    ),
    claim(
        "Two perturbed paths are better than one path.",
        said(Work.LRGD, PATHS, "further degrades performance"),
        ahead("two_path", "one") > 0,
    ),
    claim(
        "Three perturbed paths are better than two.",
        said(Work.LRGD, PATHS, "leads to performance drops"),
        ahead("three_path", "two_path") > 0,
        delta=0.005,
        delta_set="28 November 2026: less than .005 of nDCG@10, half a point, is no difference to a reader of a list",
    ),
    claim(
        "Three paths without perturbation are more than three times the proposals.",
        own("derived here from LRGD, section 3.6, in which paths cost as many evaluations"),
        ahead("three", "one_more") > 0,
        "one path with as many evaluations",
    ),
    claim(
        "With a single validation query the search finds a better prompt than all demonstrations together.",
        own("derived here from LRGD, section 4.1: leaving one out leaves one validation item"),
        ahead("three_path", "whole_pool", columns=(), queries=1) > 0,
    ),
    claim(
        "With few validation queries ranking single demonstrations by Effect_D is as good as the search.",
        own("derived here from LRGD, section 3.4, eq. 15"),
        Every(
            tuple(ahead("most singles", each, queries=up_to(FEW)) > INFERIOR for each in ("three_path", "long_more"))
        ),
        "the best singles, as many as in a perturbed prompt; the long search has as many evaluations",
    ),
)
