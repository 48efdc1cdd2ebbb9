"""The sizes of `dual_form`: all cases are computed at once, in float64.

For linear attention these are, for each loss, the inputs and outputs of attention, and the models and values of all
steps; XLA's own count is within a factor of two. For softmax attention they are matrices of the kernel between all
tokens.
"""

from experiments.duals.dual_form.settings import DualForm
from lab.config.choices import Topic
from lab.config.sizes import Sizes

DOUBLE = 8  # bytes
SAFETY = 2
LOSSES = 2  # of linear attention: squared error and cross-entropy
MATRICES = 4  # matrices as large as the kernel between all tokens: its values, coefficients, features, decomposition


def sizes(settings: DualForm) -> Sizes:
    """Return the sizes of a run."""
    n, x, y, steps, cases = (
        settings.examples, settings.input_dim, settings.output_dim, settings.steps, settings.cases,
    )  # fmt: skip
    tokens = n + settings.instructions + settings.perturbations
    linear = LOSSES * cases * (n * (x + y) + x * (x + y) + steps * (n + x) * y)
    kernel = MATRICES * cases * tokens**2
    is_linear = {topic is Topic.linear for topic in settings.topics}
    numbers = {"linear attention": linear * (True in is_linear), "softmax attention": kernel * (False in is_linear)}
    work = {
        "linear attention": numbers["linear attention"] * x,
        "softmax attention": numbers["softmax attention"] * tokens,
    }
    return Sizes(
        memory={f"the problems of {name}": SAFETY * DOUBLE * count for name, count in numbers.items()},
        operations=work,
        silent=work,
    )
