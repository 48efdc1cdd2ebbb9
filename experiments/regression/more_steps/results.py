"""The results of `more_steps`, a layer that is applied more often than in training [VO23, A.6], judged over seeds.

Ratios are compared by their logarithms, as a loss that has diverged is known by its order of magnitude alone.
"""

from analysis.figures.cited import Work, own, said
from analysis.figures.controls import Control, each_seed
from analysis.figures.estimates import estimate
from analysis.results.column import LAST, Choice, Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Every, Numbers, Quantity
from analysis.tables.select import distinct, rows_where, table
from lab.runs.directory import RunDirectory

TABLE, RATES = "applications", "rates"  # one row per training, damping, learner and application; one per training
SEED, LAYERS = "seed", "layers"  # the first columns of both: how often the layer is applied in training
DAMPING = "damping"  # factor of the layer's update of the tokens, and of gradient descent's rate
LEARNER = "learner"
APPLICATIONS = "applications"  # from 1 on; of gradient descent its steps
ETA = "eta"  # of rates.csv: the best rate of as many steps of gradient descent as the layer is applied in training
TRAINED, ANSWERS, DESCENT = "transformer", "answers_only", "gradient_descent"  # the second changes y-slots alone
loss = Column(TABLE, "loss", "loss", "Mean loss over the test episodes, each at most 10^6.", LEARNER)
median = Column(TABLE, "median", "median loss", "Median loss over the test episodes.", LEARNER)
diverged = Column(TABLE, "diverged", "diverged", "Share of the test episodes with a loss above 100.", LEARNER)

HEADLINES = (
    Headline(
        "loss",
        "last loss",
        "Mean test loss after all applications; layers: how often the layer is applied in training.",
        loss.where(applications=LAST).along((LEARNER, LAYERS, DAMPING)),
    ),
)
ANSWER = (
    "after all applications, undamped, the loss is {loss.transformer, layers *, damping 1}",
    "damped by .75 it is {loss.transformer, layers *, damping 0.75}",
    "damped gradient descent, best for as many steps, has {loss.gradient_descent, layers *, damping 0.75}",
)

DAMPED, LESS_DAMPED, UNDAMPED = 0.75, 0.875, 1.0
ALIKE = 0.1  # relative difference of losses
SAME = 0.01  # the same, of a layer that is a step of gradient descent


def logarithms(learner: str, damping: float) -> Quantity:
    """Return log10 of the loss at every application, of a layer that was trained alone."""
    return loss.where(layers=1, damping=damping).along(APPLICATIONS, learner).log10()


def growth(learner: str) -> Quantity:
    every = logarithms(learner, UNDAMPED)
    return every.last() - every.first()


def largest_step(learner: str) -> Quantity:
    return logarithms(learner, DAMPED).steps().over(max, "largest step")


def over_descent(learner: str, damping: float, applications: int | Choice = LAST) -> Quantity:
    """Return the loss over gradient descent's, of a layer that was trained alone."""
    there = loss.where(layers=1, damping=damping, applications=applications)
    return there[learner] / there[DESCENT]


def alike() -> Every:
    """Return the bounds of losses that count as gradient descent's, after 10 applications and after all."""
    early, late = (over_descent(TRAINED, DAMPED, count) - 1 for count in (10, LAST))
    return early.within(ALIKE) & late.within(ALIKE)


def as_in_training(learner: str, fewest: int = 1) -> Quantity:
    """Return the loss after as many applications as in training, undamped, for layers with at least so many."""

    def numbers(directory: RunDirectory) -> Numbers:
        rows = rows_where(table(directory, TABLE), {DAMPING: UNDAMPED, LEARNER: learner})
        counts = [count for count in distinct(rows, LAYERS) if count >= fewest]
        return {
            f"{LAYERS} {count:g}": estimate(rows_where(rows, {LAYERS: count, APPLICATIONS: count}), loss.name)
            for count in counts
        }

    return Quantity(loss.label, f"{learner} as in training", numbers, "at every layers,")


many_times_damped = loss.where(damping=DAMPED, applications=LAST).along(LAYERS, TRAINED)
CONTROLS = each_seed(
    Control(
        "applied as in training, a layer is no worse than gradient descent",
        as_in_training(TRAINED) / as_in_training(DESCENT) - 1 < SAME,
    ),
    date="28 November 2026",
)
CLAIMS = (
    claim(
        "A layer that is trained for one step diverges when it is applied many times, and so does gradient descent.",
        said(Work.VO23, "A.6 and figure 10"),
        (growth(TRAINED) > 0) & (growth(DESCENT) > 0),
    ),
    claim(
        "Damped by .75, both steadily decrease the loss within 50 steps.",
        said(Work.VO23, "A.6"),
        (largest_step(TRAINED) < 0) & (largest_step(DESCENT) < 0),
    ),
    claim(
        "Damped by .75, the decrease of the loss is the same for both.",
        said(Work.VO23, "section 3, on one step, 3rd point, and figure 10, caption"),
        alike(),
    ),
    claim(
        "Gradient descent is slightly more robust.",
        said(Work.VO23, "figure 10, caption"),
        over_descent(TRAINED, LESS_DAMPED).log10() > 0,
        "how much is not asked",
    ),
    claim(
        "A layer that is trained in a loop goes on decreasing the loss when it is damped and applied more often.",
        own("derived here from VO23, A.6"),
        (many_times_damped.after(1) / as_in_training(TRAINED, fewest=2)).log10() < 0,
    ),
)
