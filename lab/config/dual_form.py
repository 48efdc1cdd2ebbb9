"""What can be set of the experiment `dual_form`. No JAX here: `--help` is instant."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import Base
from tasks.settings import above_zero, positive

# With one example online and batch descent are the same step; with one class cross-entropy is constant.
AT_LEAST_TWO = {"at_least": 2, "at_most": 2**31 - 1}


@dataclass
class DualForm(Base):
    """Identities between linear attention and gradient descent, checked on random problems in float64."""

    FIGURE: ClassVar = "dual_form"

    examples: int = field(default=16, metadata=AT_LEAST_TWO)  # N, examples in the context
    input_dim: int = positive(8)  # X
    output_dim: int = field(default=3, metadata=AT_LEAST_TWO)  # Y, targets or classes
    steps: int = positive(5)  # S, full-batch steps of the identity about several steps
    rate: float = above_zero(0.2)  # beta, of the loss summed over the examples
    cases: int = positive(64)  # random problems that each identity is checked on
