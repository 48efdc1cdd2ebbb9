"""The results of `dti_reach`: the inputs that answers depend on in prompts of many targets [DTI].

Decoders have random weights, and are compared by identities, without errors.
"""

from collections.abc import Callable

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.estimates import exact
from analysis.results.column import Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from lab.runs.directory import RunDirectory

# theorems.csv: one row per statement about one kind of decoder with random weights. reach.csv: one row per decoder and
# distance, with the gradient of the last target's logit. leaks.csv: one row per decoder.
THEOREMS, REACH, LEAKS = TABLES = ("theorems", "reach", "leaks")
SEED, SCHEME, POSITIONS, LAYERS = "seed", "scheme", "positions", "layers"
ISOLATES = "isolates"  # 1 if the reset has the weight 1 at every distance
IDENTITY, RELATION = "identity", "relation"  # what is compared; as derived: equal, or different
MEASURED, BOUND = "measured", "bound"  # the largest difference of logits, or the largest distance with a gradient
HOLDS = "holds"  # 1 or 0
DECODER = "decoder"
RANDOM = "random"  # weights of all decoders
WINDOW, DISTANCE = "window", "distance"  # n; interactions before the target
NORM, SHARE = "norm", "share"  # of the gradient at a distance, root mean square over users; of the sum over distances
FARTHEST = "reach"  # of leaks.csv: the largest distance with a gradient that is not exactly zero
FIRST, ALL, BANDED, REACHES = "first_target", "all_targets", "banded", "reach"  # identities
EQUAL, DIFFERENT = "equal", "different"
TOLERANCE = 1e-12  # logits that are equal differ by less: answers are of order 1, rounded some hundred times by 1e-16
DIFFERENCE = 1e-9  # logits that are different differ by more: with random weights never by less than 1e-3
RELATIVE = ("none", "rope", "alibi")
SEVERAL = tuple(range(2, 100))  # layers

difference = Column(THEOREMS, MEASURED, "largest difference of logits",
                    "Largest difference of all targets' logits from those of their sliding windows.", SCHEME,
                    worst=max, implied=((IDENTITY, ALL), (ISOLATES, 0)))  # fmt: skip
error = Column(THEOREMS, MEASURED, "largest error", "Largest difference of two sides that a theorem says are equal.",
               RELATION, worst=max, implied=((IDENTITY, (FIRST, ALL, BANDED)),))  # fmt: skip
leak = Column(LEAKS, "leak", "share of the gradient beyond n",
              "Share of the sum of norms of gradients at distances beyond the window.", SCHEME)  # fmt: skip


def count(label: str, counted: Callable[[list[Row]], int]) -> Quantity:
    """Return a number of statements."""
    return Quantity(label, "", lambda directory: {"": exact(counted(table(directory, THEOREMS)))})


HEADLINES = (
    Headline("statements", "statements", "Number of statements that were checked.", count("statements", len)),
    Headline("statements_that_hold", "statements that hold", "Number of statements that hold within their tolerance.",
             count("statements that hold", lambda rows: sum(map(bool, numbers(rows, HOLDS))))),
    Headline("largest_error", error.label, error.sentence, error[EQUAL]),
)  # fmt: skip
ANSWER = (
    "of {statements} statements about which inputs an answer depends on in a prompt of many targets, with random "
    "weights in float64, {statements_that_hold} hold",
    "answers that should be equal differ by at most {largest_error}",
)


def apart(scheme: str, positions: str | tuple[str, ...]) -> Quantity:
    """Return the difference of decoders of one layer, whose reset does not isolate, for each kind of positions."""
    return difference.where(layers=1, positions=positions).along(POSITIONS, scheme)


def beyond(scheme: str) -> Quantity:
    """Return the leak of decoders of several layers, whose reset does not isolate."""
    several = (ISOLATES, 0), (LAYERS, SEVERAL)
    column = Column(LEAKS, leak.name, leak.label, leak.sentence, SCHEME, worst=max, implied=several)
    return column.along((POSITIONS, LAYERS), scheme)


def _farther(directory: RunDirectory) -> Numbers:
    rows = rows_where(table(directory, LEAKS), {SCHEME: "naive"})
    by_distance = table(directory, REACH)
    window, farthest = by_distance[0].number(WINDOW), max(numbers(by_distance, DISTANCE))
    return {
        f"{row[POSITIONS]}, layers {layers:g}": exact(row.number(FARTHEST) - min(layers * window, farthest))
        for row in rows
        for layers in [row.number(LAYERS)]
    }


def _isolated(directory: RunDirectory) -> Numbers:
    rows = [
        row
        for row in rows_where(table(directory, THEOREMS), {IDENTITY: ALL})
        if row[POSITIONS] in RELATIVE
        and (row[SCHEME] in ("local", "split") or (row[SCHEME] == "own" and row[ISOLATES]))
    ]
    return {each: exact(max(numbers(rows_where(rows, {SCHEME: each}), MEASURED))) for each in distinct(rows, SCHEME)}


CLAIMS = (
    claim(
        "A decoder with rotary positions is biased by where a target is in a prompt, [SUM]s not counted.",
        stronger(Work.DTI, "section 4.2, after eq. 7", "Regardless of the type of positional encoding"),
        apart("no_id", "rope") > DIFFERENCE,
        "of some target from its sliding window, in float64",
    ),
    claim(
        "A [SUM] without a position that sees by ALiBi is free of that bias.",
        stronger(
            Work.DTI, "section 4.2, after the bias of ALiBi", "equally regardless of their positions in the prompt"
        ),
        apart("literal", "rope") < TOLERANCE,
        "the keys that a [SUM] sees keep their rotation",
    ),
    claim(
        "It is free of the bias if the keys that it sees are not rotated either.",
        own("derived here from DTI, section 4.2"),
        apart("alibi", RELATIVE) < TOLERANCE,
    ),
    claim(
        "With several layers, windows leak what is older than n: an answer depends on what is L n interactions back.",
        said(Work.DTI, "section 4.1, eqs. 5 and 6", "as far back as"),
        (beyond("naive") > 0)
        & Quantity("reach of the gradient - L n", "naive", _farther, "with every kind of positions,").within(0.5),
        "the gradient of the last target's logit; or the beginning of the prompt, where that is nearer than L n",
    ),
    claim(
        "Hidden-state reset lessens the leak, with random weights.",
        said(Work.DTI, "section 1, paragraph on the two root causes", "to mitigate the leakage"),
        beyond("dti") / beyond("alibi") < 1,
        "alibi is dti without reset",
    ),
    claim(
        "Hidden-state reset with weights below 1 does not stop the leak.",
        own("derived here from DTI, section 4.1, the interpolation"),
        beyond("dti") > 0,
        "a(d) is between 0 and 1",
    ),
    claim(
        "Local and split windows, and a reset to what an interaction is by itself with a = 1, isolate targets exactly.",
        own("derived here from the masks"),
        Quantity(difference.label, "", _isolated, "with every such scheme,") < TOLERANCE,
        "with positions none, rope and alibi and any number of layers",
    ),
)
