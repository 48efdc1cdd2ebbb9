"""One layer of softmax attention, by its number of heads, beside one of linear attention and a step of gradient
descent [VO23, A.9 and figure 12]."""

from matplotlib.figure import Figure

from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import combine, estimate, exact
from analysis.figures.evidence import Condition, above, below, within
from analysis.figures.learned import SECOND_HALF, flat, halfway
from analysis.tables.columns import Curves, Table
from analysis.tables.select import group_by, rows_where, table
from experiments.regression.comparison.claims.controls import LOSS, is_descent
from experiments.regression.comparison.drawing import by_part
from experiments.regression.comparison.drawing.by_part import above_descent, above_other, cosine_of
from lab.runs.directory import RunDirectory

CAPTION = f"{by_part.CAPTION} One line per seed: two softmax heads end at either of two losses."
NEEDS_POINTS = True
LABELS = {
    "linear": "linear, 1 head",
    "softmax_1": "softmax, 1 head",
    "softmax_2": "softmax, 2 heads",
    "softmax_4": "softmax, 4 heads",
}
A9 = said(Work.VO23, "A.9 and figure 12")
SAME = 0.01  # relative difference of losses
FAILED = 0.2  # relative difference of losses, between those at which two heads end: about .05 and .4


def learned(*parts: str) -> tuple[Control, ...]:
    """Return the controls that the recipe makes gradient descent of the linear head, and that these parts are at the
    end of their training."""
    return is_descent(part="linear"), *(flat(LOSS, part=part) for part in ("linear", *parts))


def draw(directory: RunDirectory) -> Figure:
    return by_part.draw(directory, LABELS, each_seed=True)


def one_head_is_worse(directory: RunDirectory) -> list[Condition]:
    return [
        above("1 softmax head: loss / gradient descent's - 1", above_descent(directory, "softmax_1"), SAME),
        above("1 softmax head: loss / 1 linear head's - 1", above_other(directory, "softmax_1", "linear"), SAME),
    ]


def second_head_halves_the_gap(directory: RunDirectory) -> list[Condition]:
    two, one = (above_descent(directory, part) for part in ("softmax_2", "softmax_1"))
    return [below("gap to gradient descent, 2 softmax heads / 1 softmax head", two / one, 0.5)]


def two_heads_do_not_match(directory: RunDirectory) -> list[Condition]:
    return [above("2 softmax heads: loss / gradient descent's - 1", above_descent(directory, "softmax_2"), SAME)]


def two_heads_are_as_good(directory: RunDirectory) -> list[Condition]:
    gap = above_other(directory, "softmax_2", "linear")
    return [within("2 softmax heads: loss / 1 linear head's - 1", gap, SAME)]


def alignment_is_in_between(directory: RunDirectory) -> list[Condition]:
    linear, one, two = (cosine_of(directory, part) for part in ("linear", "softmax_1", "softmax_2"))
    return [
        above("cosine with gradient descent, 2 softmax heads - 1 softmax head", two - one),
        above("cosine with gradient descent, 1 linear head - 2 softmax heads", linear - two),
    ]


def _failed(directory: RunDirectory) -> list[float]:
    """Return the seeds whose two heads end where one ends."""
    gaps = above_descent(directory, "softmax_2").by_seed
    return [seed for seed, gap in gaps.items() if gap > FAILED]


def every_seed_gains(directory: RunDirectory) -> list[Condition]:
    """Judge exactly: one seed that fails for good refutes a sentence on all of them."""
    seeds = above_descent(directory, "softmax_2").by_seed
    share = len(_failed(directory)) / len(seeds)
    return [below(f"share of {len(seeds)} seeds whose second head gains nothing", exact(share), 0.5 / len(seeds))]


def failed_seeds_are_flat(directory: RunDirectory) -> list[Condition]:
    """Judge the change in the second half of training of each seed that fails."""
    rows = rows_where(table(directory, Table.CURVES), {"part": "softmax_2"})
    evaluations = [*group_by(rows, Curves.STEP).values()]
    start, middle, end = (estimate(each, LOSS) for each in (evaluations[0], halfway(evaluations), evaluations[-1]))
    change = combine(lambda a, b, c: (b - c) / (a - c) if a != c else 0.0, start, middle, end).by_seed
    failed = _failed(directory)
    flattest = min((abs(change[seed]) for seed in failed), default=0.0)
    return [
        below("change in the second half / whole change, the flattest seed that fails", exact(flattest), SECOND_HALF)
    ]


CLAIMS = (
    Claim(
        "A single layer of softmax attention with one head does not match gradient descent.",
        A9,
        "at the end, its loss is more than 1% above that of one step of gradient descent and that of one linear head",
        one_head_is_worse,
        controls=learned("softmax_1"),
    ),
    Claim(
        "A second softmax head reduces the gap to gradient descent by much.",
        A9,
        "at the end, loss / gradient descent's - 1 of two heads is less than half of that of one head",
        second_head_halves_the_gap,
        controls=learned("softmax_1", "softmax_2"),
    ),
    Claim(
        "Two softmax heads still have difficulties to match gradient descent.",
        A9,
        "at the end, the loss of two heads is more than 1% above that of one step of gradient descent",
        two_heads_do_not_match,
        controls=learned("softmax_2"),
    ),
    Claim(
        "Two softmax heads are as good as one linear head.",
        own("derived here from VO23, A.9, where the difference of two heads is a linear one to first order"),
        "at the end, the losses of two softmax heads and of one linear head are within 1% of one another",
        two_heads_are_as_good,
        controls=learned("softmax_2"),
    ),
    Claim(
        "Two softmax heads align with gradient descent much better than one, and less precisely than a linear head.",
        A9,
        "at the end, the mean cosine of the sensitivities with gradient descent of two softmax heads is above that of "
        "one and below that of one linear head",
        alignment_is_in_between,
        controls=learned("softmax_1", "softmax_2"),
    ),
    Claim(
        "With every seed a second softmax head lowers the loss.",
        own("derived here from VO23, A.9: whether training finds opposite heads"),
        "at the end, no seed's loss with two heads is more than 20% above that of one step of gradient descent (two "
        "heads end at about 5% or 40%); refuted by a seed that stays there",
        every_seed_gains,
        controls=(),
        refutation_controls=(Control("a seed that fails is at the end of its training", failed_seeds_are_flat),),
    ),
)
