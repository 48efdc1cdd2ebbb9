"""The results of `online`: columns, and claims about a sweep over tasks, whose points are called as in `online.yaml`.

Squared errors are in units of E y^2 without noise, the error of the answer 0. A claim is judged over seeds, which
have training episodes, initial weights and test episodes of their own.
"""

from analysis.figures.cited import own
from analysis.figures.controls import Control
from analysis.results.column import FIRST, LAST, Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Every, Quantity
from experiments.online.curves import LAYER, PART, at_its_end

LAYERS = "layers"  # the table with one row per seed and layer
PLACES = "places"  # the table with one row per seed, layer and place of an example in the context, from 1 on
PLACE = "place"
CONSTANTS = "constants_"  # begins the names of the columns about the layer's learner at its best constants

trained = Column(LAYERS, "error", "squared error", "Squared error of the trained layer's answer.", LAYER)
optimal = Column(LAYERS, "optimal", "Bayes' squared error", "Squared error of the Bayes-optimal answer.", LAYER)
excess = Column(LAYERS, "excess", "error above Bayes", "Squared error of the layer minus the Bayes-optimal one.", LAYER)
order = Column(LAYERS, "order", "order sensitivity", "Root mean square deviation of the layer's answer over orders "
               "of the examples, over the root mean square of the answer.", LAYER)  # fmt: skip
constants = Column(LAYERS, "constants_error", "squared error of the learner", "Squared error of the layer's learner at "
                   "its best constants.", LAYER, sparse=True)  # fmt: skip
cosine = Column(LAYERS, "cosine", "cosine of influences", "Cosine of the derivatives of the answer in the examples' "
                "targets, of the layer and its learner.", LAYER, sparse=True)  # fmt: skip
query_cosine = Column(LAYERS, "query_cosine", "cosine of sensitivities", "Cosine of the derivatives of the answer in "
                      "the query, of the layer and its learner.", LAYER, sparse=True)  # fmt: skip
constants_order = Column(LAYERS, "constants_order", "order sensitivity of the learner", "The same of the "
                         "learner at its best constants.", LAYER, sparse=True)  # fmt: skip
BESIDE = (constants, cosine, query_cosine, constants_order)

influence = Column(PLACES, "influence", "influence", "Root mean square of the derivative of the answer in an example's "
                   "target.", LAYER)  # fmt: skip
rate = Column(PLACES, "rate", "rate", "The layer's rate times |k|² / |x|², mean over episodes.", LAYER, sparse=True)
constants_rate = Column(PLACES, "constants_rate", "rate of the learner", "The learner's rate.", LAYER, sparse=True)
GATES = ("rate", "decay", "momentum")
OF_PLACES = (influence.name, *GATES, *(f"{CONSTANTS}{name}" for name in (influence.name, *GATES)))

HEADLINES = (
    trained,
    constants,
    Headline(
        "bayes",
        "Bayes' squared error",
        "Squared error of the Bayes-optimal answer.",
        optimal.where(**{LAYER: FIRST}).number,
    ),
)
ANSWER = (
    "the delta rule's layer has a squared error of {error.delta}, its learner at the best constants one of "
    "{constants_error.delta}, and Bayes' answer one of {bayes}",
)

STILL = ("plain", "noisy")  # the points whose teacher and inputs are the simplest
NEAR = 0.02  # of squared errors, where the answer 0 has 1
FAR = 0.05  # likewise


def of_part(column: Column, part: str, layer: str) -> Quantity:
    """Return a layer's number on one task."""
    return column.where(part=part)[layer]


def against(column: Column, part: str, layer: str, other: str) -> Quantity:
    """Return a layer's number minus another one's, on one task."""
    return of_part(column, part, layer) - of_part(column, part, other)


def beyond(layer: str, *parts: str) -> Quantity:
    """Return the error of a trained layer minus its learner's, on some tasks."""
    return trained.where(part=parts).along(PART, layer) - constants.where(part=parts).along(PART, layer)


def last_over_first(part: str) -> Quantity:
    """Return the rate of the layer `places` at the last place over the rate at the first one."""
    last, first = (rate.where(part=part, place=place)["places"] for place in (LAST, FIRST))
    return last / first


def is_its_learner(layer: str) -> Every:
    """Return the bounds of a layer that answers as its learner where the teacher stays."""
    return (cosine.where(part=STILL).along(PART, layer) > 0.95) & beyond(layer, *STILL).within(NEAR)


def learns(layer: str, *parts: str) -> Control:
    """Return the control that a layer learns on some tasks more than the answer 0, whose error is 1."""
    return Control(
        f"the layer {layer} learns on every task that is meant",
        trained.where(part=parts).along(PART, layer) < 0.85,
    )


def ended(layers: tuple[str, ...], *parts: str, distance: float = NEAR) -> tuple[Control, ...]:
    """Return all controls of a claim on these layers and tasks."""
    return *CONTROLS, at_its_end(layers, *parts, distance=distance)


CONTROLS = (learns("gated", "plain", "noisy", "skewed", "drift", "switching"),)
HERE = own("derived here")
CLAIMS = (
    claim(
        "Trained from random weights on a teacher that stays, a delta-rule layer is its learner, one pass of "
        "stochastic gradient descent at the best rate.",
        HERE,
        is_its_learner("delta"),
        "errors are in units of the answer 0's",
        controls=ended(("delta",), *STILL),
    ),
    claim(
        "So are linear attention (a step of gradient descent), the implicit step and the mesa layer.",
        HERE,
        is_its_learner("linear") & is_its_learner("implicit") & is_its_learner("mesa"),
        controls=ended(("linear", "implicit", "mesa"), *STILL),
    ),
    claim(
        "Under drift a delta-rule layer without decay is better than its learner at the best rate.",
        HERE,
        beyond("delta", "drift") < -NEAR,
        controls=ended(("delta",), "drift"),
    ),
    claim(
        "Without noise exact least squares is ahead of the delta rule, and the delta rule of linear attention.",
        HERE,
        (against(trained, "plain", "delta", "mesa") > NEAR) & (against(trained, "plain", "linear", "delta") > NEAR)
        & (against(trained, "skewed", "delta", "mesa") > NEAR) & (against(trained, "skewed", "linear", "delta") > NEAR),
        controls=ended(("linear", "delta", "mesa"), "plain", "skewed"),
    ),
    claim(
        "A decay helps the delta rule where the teacher changes, and only there.",
        HERE,
        (against(trained, "drift", "delta", "gated") > NEAR) & (against(trained, "switching", "delta", "gated") > NEAR)
        & against(trained, "plain", "delta", "gated").within(NEAR)
        & against(trained, "noisy", "delta", "gated").within(NEAR),
        controls=ended(("delta", "gated"), *STILL, "drift", "switching"),
    ),
    claim(
        "Without noise an implicit step has about half of the delta rule's error.",
        HERE,
        (of_part(trained, "plain", "implicit") / of_part(trained, "plain", "delta")).between(0.4, 0.6),
        controls=ended(("delta", "implicit"), "plain"),
    ),
    claim(
        "The order of examples tells online learners from batch descent, trained ones too.",
        HERE,
        (order.along(PART, "linear") < 1e-4) & (order.along(PART, "delta") > 0.1),
    ),
    claim(
        "With noise a rate that is free at every place falls, without noise it stays, and it falls much less than 1/t.",
        HERE,
        last_over_first("noisy").between(0.2, 0.9) & last_over_first("plain").between(0.9, 1.3),
        "in the trained layer; 1/t is a factor of 1/24",
        controls=ended(("places",), *STILL),
    ),
    claim(
        "Under drift a softmax layer comes no nearer to the Kalman filter than the gated delta rule.",
        HERE,
        against(trained, "drift", "softmax", "gated") > FAR,
        "one layer with two heads each without an MLP",
        controls=ended(("gated", "softmax"), "drift", distance=FAR),
    ),
    claim(
        "Where keys come back with other values the delta rule overwrites, and addition cannot.",
        HERE,
        (of_part(trained, "recall", "delta") < 0.1) & (of_part(trained, "recall", "linear") > 0.3),
        controls=(learns("delta", "recall"), at_its_end(("linear", "delta"), "recall", distance=NEAR)),
    ),
)  # fmt: skip
