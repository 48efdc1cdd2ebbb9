"""Settings of `dual_form`: the random problems on which identities are checked. No JAX here: `--help` is instant."""

from dataclasses import dataclass
from typing import ClassVar

from lab.config.base import Base
from lab.config.choices import Topic
from tasks.settings import above_zero, at_least_two, key, positive, several


@dataclass
class DualForm(Base):
    """Identities between attention, linear and softmax, and gradient descent, checked on random problems in float64."""

    FIRST: ClassVar = ["topics", "cases", "examples", "input_dim", "output_dim", "steps", "learning_rate", "norm",
                       "seed"]  # fmt: skip
    TINY: ClassVar = ["experiment=dual_form", "cases=2"]

    topics: list[Topic] = several([*Topic], "Groups of identities to check.")
    # With a single example, online and batch descent would be the same step.
    examples: int = at_least_two(16, "N, the examples in the context.")
    # At least 3, as a layer norm of two numbers depends on their order alone, and on no scale.
    input_dim: int = key(
        8, "X, the width of inputs; in softmax attention that of values.", at_least=3, at_most=2**31 - 1
    )
    # With one class cross-entropy would be constant.
    output_dim: int = at_least_two(3, "Y, the number of targets or classes.")
    steps: int = positive(5, "S, the steps of the identity about several full-batch steps.")
    learning_rate: float = above_zero(0.2, "beta, the rate of descent on the loss summed over the examples.")
    instructions: int = positive(8, "Instruction tokens in front of the examples, in softmax attention.")
    perturbations: int = positive(4, "Perturbation tokens after the examples.")
    # Kernel values are up to exp(norm^2), at twice the norm
    # exp(4 norm^2).
    norm: float = key(1.5, "Norm of queries and keys in softmax attention.", above=0, at_most=10)
    alpha: float = key(0.3, "Values of instruction tokens are multiplied by 1 - alpha.", above=0, at_most=1)
    cases: int = positive(64, "Random problems on which each identity is checked.")
