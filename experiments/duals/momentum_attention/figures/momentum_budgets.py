"""Momentum beside attention at several budgets of training: losses and accuracies at the end of each."""

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, combine, estimate
from analysis.figures.evidence import Condition, above, below
from analysis.figures.measures import mean_over_seeds
from analysis.figures.words import part_in_words
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from experiments.duals.momentum_attention.claims import AVERAGE, NONE, SHIFT
from experiments.duals.momentum_attention.columns import Common, Curves, Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Decoders with one kind of positions after so many training steps, each number of steps being a training of its "
    "own; means over seeds, bars are two standard errors. Left: loss above that of the Bayes-optimal answer. Right: "
    "share of symbols that are predicted right."
)
NEEDS_POINTS = True
LOOK = {NONE: ("attention alone", "#000000"), AVERAGE: ("eta .5", "#0072B2"), "learned": ("learned eta", "#CC79A7"),
        SHIFT: ("previous token", "#D55E00")}  # fmt: skip
PANELS = {Curves.EXCESS: "loss above the floor (nats)", Curves.ACCURACY: "accuracy"}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=10, height=3.8)
    ends = at_ends(directory)
    for panel, (column, label) in zip(axes[0], PANELS.items(), strict=True):
        _against_steps(panel, ends, column)
        panel.set(ylabel=label, xlabel="training steps", xscale="log")
    style.legend(*axes[0])
    return figure


def _against_steps(panel: Axes, ends: dict[str, list[Row]], column: str) -> None:
    steps = [rows[0].number(Common.STEP) for rows in ends.values()]
    for variant, (label, color) in LOOK.items():
        at_each = [mean_over_seeds(rows_where(rows, {Curves.VARIANT: variant}), column) for rows in ends.values()]
        means, errors = zip(*at_each, strict=True)
        panel.errorbar(steps, means, errors, fmt="-o", markersize=4, capsize=2, color=color, label=label)
    panel.set_xticks(steps, [f"{step:g}" for step in steps])
    panel.minorticks_off()


def at_ends(directory: RunDirectory) -> dict[str, list[Row]]:
    """Return {part: the rows at the end of its training}, of the parts of a sweep in the order of their steps."""
    curves = table(directory, Table.CURVES)
    ends = {}
    for part in distinct(curves, "part"):
        rows = rows_where(curves, {"part": part})
        ends[str(part)] = rows_where(rows, {Common.STEP: max(numbers(rows, Common.STEP))})
    return dict(sorted(ends.items(), key=lambda item: item[1][0].number(Common.STEP)))


def _number(rows: list[Row], variant: str, column: str) -> Estimate:
    return estimate(rows_where(rows, {Curves.VARIANT: variant}), column)


def better(variant: str, other: str, column: Curves) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether one variant is better than another at the end of every budget."""

    def judge(directory: RunDirectory) -> list[Condition]:
        bound = above if column is Curves.ACCURACY else below
        return [
            bound(
                f"{part_in_words(part)}: {column}, {variant} - {other}",
                _number(rows, variant, column) - _number(rows, other, column),
            )
            for part, rows in at_ends(directory).items()
        ]

    return judge


def learned(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for part, rows in at_ends(directory).items():
        least = combine(min, *(_number(rows, variant, Curves.LOSS) for variant in (AVERAGE, NONE)))
        frequencies = estimate(rows_where(rows, {Curves.VARIANT: NONE}), Curves.FREQUENCIES)
        conditions.append(below(f"{part_in_words(part)}: loss - by frequencies of symbols", least - frequencies))
    return conditions


CONTROLS = (Control("a decoder learns more than the frequencies of symbols", learned),)
CLAIMS = (
    Claim(
        statement="With rotary positions attention with momentum ends lower, however long training is.",
        source=stronger(Work.DAI, "momentum attention, table of accuracies (.547 against .519)"),
        criterion="loss with eta = .5 below that without momentum at the end of both budgets, a factor of three apart",
        judge=better(AVERAGE, NONE, Curves.LOSS),
    ),
    Claim(
        statement="With rotary positions it is more often right, however long training is.",
        source=stronger(Work.DAI, "momentum attention, table of accuracies (.547 against .519)"),
        criterion="accuracy with eta = .5 above that without momentum at the end of both budgets",
        judge=better(AVERAGE, NONE, Curves.ACCURACY),
    ),
    Claim(
        statement="With rotary positions a learned eta ends lower, however long training is.",
        source=own("derived here from Dai et al., momentum attention"),
        criterion="loss with a learned eta below that without momentum at the end of both budgets",
        judge=better("learned", NONE, Curves.LOSS),
    ),
)
