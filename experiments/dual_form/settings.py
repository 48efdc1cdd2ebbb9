"""Settings of `dual_form`: the random problems on which identities are checked. No JAX here: `--help` is instant."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import Base
from lab.config.choices import Topic
from lab.config.lists import each_once
from lab.errors import ConfigError
from tasks.settings import above_zero, at_least_two, positive


@dataclass
class DualForm(Base):
    """Identities between attention, linear and softmax, and gradient descent, checked on random problems in float64."""

    FIGURE: ClassVar = "dual_form"
    TINY: ClassVar = ["experiment=dual_form", "cases=2"]

    topics: list[Topic] = field(default_factory=lambda: [*Topic])
    # N, the examples in the context. With a single one, online and batch descent would be the same step.
    examples: int = at_least_two(16)
    # X; in softmax attention the width of values. At least 3, as a layer norm of two numbers depends on their order
    # alone, and on no scale.
    input_dim: int = field(default=8, metadata={"at_least": 3, "at_most": 2**31 - 1})
    output_dim: int = at_least_two(3)  # Y, targets or classes; with one class cross-entropy would be constant
    steps: int = positive(5)  # S, full-batch steps of the identity about several steps
    rate: float = above_zero(0.2)  # beta, for the loss summed over the examples
    instructions: int = positive(8)  # instruction tokens in front of the examples, in softmax attention
    perturbations: int = positive(4)  # perturbation tokens after the examples
    # Norm of queries and keys in softmax attention. Kernel values are up to exp(norm^2), at twice the norm
    # exp(4 norm^2).
    norm: float = field(default=1.5, metadata={"above": 0, "at_most": 10})
    alpha: float = field(default=0.3, metadata={"above": 0, "at_most": 1})  # values of instructions shrink by 1 - alpha
    cases: int = positive(64)  # random problems that each identity is checked on

    def check(self) -> None:
        if not self.topics:
            raise ConfigError(f"topics=[]: at least one of {', '.join(topic.value for topic in Topic)}")
        each_once("topics", self.topics)
