"""Settings of `online`: layers with fast weights on one task, beside their learners at the best constants.

No JAX here: `--help` is instant.
"""

import enum
from dataclasses import dataclass
from typing import ClassVar

from experiments.online.settings import TINY, BesideLearners
from tasks.settings import several


class Layer(enum.Enum):
    """The layers. All but the last have a learner of their own (`layers`)."""

    linear = "linear"
    decayed = "decayed"
    delta = "delta"
    gated = "gated"
    implicit = "implicit"
    momentum = "momentum"
    diagonal = "diagonal"
    mesa = "mesa"
    places = "places"
    softmax = "softmax"


@dataclass
class Online(BesideLearners):
    """Layers that are online learners are trained on a task, and compared with their learners at the best constants and
    with the Bayes-optimal answer."""

    FIGURE: ClassVar = "online_run"
    SWEEP_FIGURE: ClassVar = "online"
    FIRST: ClassVar = ["task", "seeds", "layers", "train.steps", "constants.steps", "task.num_context",
                       "task.input_dim", "eval.episodes", "eval.block", "orders"]  # fmt: skip
    TINY: ClassVar = ["experiment=online", *TINY, "layers=[linear,delta,softmax]",
                      *(f"~parts.{name}" for name in ("noisy", "skewed", "switching", "recall"))]  # fmt: skip

    layers: list[Layer] = several([*Layer], "The layers.")
