"""The results of `online_stacks`: columns, and claims about a sweep over tasks, whose points are called as in its YAML.

Squared errors are in units of E y^2 without noise, the error of the answer 0. A claim is judged over seeds, which
have training episodes, initial weights and test episodes of their own.
"""

from analysis.figures.cited import own
from analysis.figures.controls import Control
from analysis.results.column import Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Quantity
from experiments.online.curves import PART

STACKS = "stacks"  # the table with one row per seed and number of layers
DEPTH = "depth"

trained = Column(STACKS, "error", "squared error", "Squared error of the trained stack's answer.", DEPTH)
passes = Column(STACKS, "passes_error", "squared error of passes", "Squared error after as many passes of stochastic "
                "gradient descent, at the best rate of each.", DEPTH)  # fmt: skip
steps = Column(STACKS, "steps_error", "squared error of GD++", "Squared error after as many steps of GD++, at the best "
               "pair of rates of each.", DEPTH)  # fmt: skip
optimal = Column(STACKS, "optimal", "Bayes' squared error", "Squared error of the Bayes-optimal answer.", DEPTH)
cosine = Column(STACKS, "cosine", "cosine of influences", "Cosine of the derivatives of the answer in the examples' "
                "targets, of the stack and the passes.", DEPTH)  # fmt: skip
query_cosine = Column(STACKS, "query_cosine", "cosine of sensitivities", "Cosine of the derivatives of the answer in "
                      "the query, of the stack and the passes.", DEPTH)  # fmt: skip
steps_cosine = Column(STACKS, "steps_cosine", "cosine of influences with GD++", "Cosine of the derivatives of the "
                      "answer in the examples' targets, of the stack and GD++.", DEPTH)  # fmt: skip
order = Column(STACKS, "order", "order sensitivity", "Root mean square deviation of the stack's answer over orders of "
               "the examples, over the root mean square of the answer.", DEPTH)  # fmt: skip
passes_order = Column(STACKS, "passes_order", "order sensitivity of passes", "The same of the passes.", DEPTH)

HEADLINES = (
    trained,
    passes,
    steps,
    Headline("bayes", "Bayes' squared error", "Squared error of the Bayes-optimal answer.", optimal.along(()).first()),
)
ANSWER = (
    "stacks of delta-rule layers have squared errors of {error.*}, as many passes of stochastic gradient descent "
    "{passes_error.*}, and as many steps of GD++ {steps_error.*}",
)


def stack_of(depth: int) -> str:
    """Return the name of a stack in the table of curves."""
    return f"stack_{depth}"


def over_passes(part: str) -> Quantity:
    """Return the ratio of a stack's error to the error of as many passes on a task, at every number of layers."""
    top, bottom = (column.where(part=part, depth=(1, 2, 3)).along(DEPTH) for column in (trained, passes))
    return top / bottom


CONTROLS = (Control("stacks learn on every task", trained.where(part=("plain", "skewed")).along((PART, DEPTH)) < 0.5),)
CLAIMS = (
    claim(
        "A trained stack of L delta-rule layers is L passes of stochastic gradient descent at the best rates.",
        own("derived here"),
        over_passes("plain").between(0.9, 1.1) & (cosine.where(part="plain").along(DEPTH) > 0.95),
    ),
    claim(
        "With unequal variances a stack ends below as many passes, with one layer too.",
        own("derived here"),
        over_passes("skewed") < 0.9,
        "a longer training only lowers the stacks' errors",
    ),
)
