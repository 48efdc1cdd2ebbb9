"""The results of `momentum_attention`: columns, and claims judged by paired differences, for every kind of positions.

They need a decoder that has learned at the end more than how often each symbol is there.
"""

from analysis.figures.cited import Work, own, stronger
from analysis.figures.controls import Control
from analysis.results.column import HALF, LAST, Choice, Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Quantity, least

CURVES = "curves"  # the table with one row per kind of positions, seed, variant of attention and step
ETAS = "etas"  # the table with one row per kind of positions, seed, step, layer and head, both from 1 on
POSITIONS, SEED, STEP, VARIANT, LAYER, HEAD = "positions", "seed", "step", "variant", "layer", "head"
NONE, AVERAGE, LEARNED, SHIFT = "none", "eta=0.5", "learned", "shift"  # of the variants

loss = Column(CURVES, "loss", "loss", "Cross-entropy on the test sequences.", VARIANT, "nats")
floor = Column(
    CURVES, "floor", "loss of the Bayes-optimal answer", "Loss of the Bayes-optimal answer.", VARIANT, "nats"
)
frequencies = Column(CURVES, "frequencies", "loss by frequencies of symbols",
                     "Loss of the best answer from how often each symbol was seen.", VARIANT, "nats")  # fmt: skip
excess = Column(CURVES, "excess", "loss above the floor", "Loss above the Bayes-optimal one.", VARIANT, "nats")
accuracy = Column(CURVES, "accuracy", "accuracy", "Share of symbols predicted right.", VARIANT)
eta = Column(ETAS, "eta", "eta", "The learned weight of the moving average.", LAYER)


def change(column: Column, variant: str, other: str, when: Choice, places: str = POSITIONS) -> Quantity:
    """Return a variant's number minus another one's, at a step of training and every kind of positions or part."""
    then = column.where(step=when)
    return then.along(places, variant) - then.along(places, other)


def learns(places: str) -> Control:
    """Return the control that the better decoder learns, with momentum or without: a claim may be about the worse."""
    at_end = loss.where(step=LAST)
    better = least(at_end.along(places, AVERAGE), at_end.along(places, NONE))
    by_frequencies = frequencies.where(step=LAST).along(places, NONE)
    return Control("a decoder learns more than the frequencies of symbols", better - by_frequencies < 0)


HEADLINES = (
    Headline("half", "excess at half", "Loss above the floor at half of the steps; positions, then momentum.",
             excess.where(step=HALF).along((POSITIONS, VARIANT)), "nats"),
    Headline("end", "excess at the end", "Loss above the floor after training; positions, then momentum.",
             excess.where(step=LAST).along((POSITIONS, VARIANT)), "nats"),
    Headline("accuracy", "accuracy", "Share of symbols predicted right after training; positions, then momentum.",
             accuracy.where(step=LAST).along((POSITIONS, VARIANT))),
    Headline("change_half", "change by momentum at half", "Loss with eta = .5 minus loss without, at half of steps.",
             change(loss, AVERAGE, NONE, HALF), "nats"),
    Headline("change_end", "change by momentum at the end", "Loss with eta = .5 minus loss without, at the end.",
             change(loss, AVERAGE, NONE, LAST), "nats"),
    Headline("beyond_shift", "beyond the previous token", "Loss with eta = .5 minus loss with the previous token's "
             "value alone, at half of the steps.", change(loss, AVERAGE, SHIFT, HALF), "nats"),
)  # fmt: skip
ANSWER = (
    "a moving average of values (eta = .5) beside attention changes the loss of attention alone by {change_half.*} "
    "nats at half of the steps and by {change_end.*} at the end",
    "it differs from the previous token's value alone by {beyond_shift.*} nats at half of the steps",
)

TABLE = "momentum attention, table of accuracies (.547 against .519)"
OF_MOMENTUM = "derived here from Dai et al., momentum attention"
CONTROLS = (learns(POSITIONS),)
CLAIMS = (
    claim(
        "Attention with momentum learns faster than attention alone.",
        own("derived here from Dai et al., what momentum does for gradient descent"),
        change(loss, AVERAGE, NONE, HALF) < 0,
    ),
    claim(
        "What helps early is the moving average, and not the previous token in it.",
        own(OF_MOMENTUM),
        change(loss, AVERAGE, SHIFT, HALF) < 0,
        "`shift` is half of the previous token's value alone",
    ),
)

PART = "part"  # of a sweep over budgets of training, for `momentum_budgets`
BUDGETS_CONTROLS = (learns(PART),)
BUDGETS_CLAIMS = (
    claim(
        "With rotary positions attention with momentum ends lower, however long training is.",
        stronger(Work.DAI, TABLE),
        change(loss, AVERAGE, NONE, LAST, PART) < 0,
        "of both budgets, a factor of three apart",
    ),
    claim(
        "With rotary positions a learned eta ends lower, however long training is.",
        own(OF_MOMENTUM),
        change(loss, LEARNED, NONE, LAST, PART) < 0,
        "of both budgets",
    ),
)
