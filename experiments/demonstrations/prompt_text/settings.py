"""Settings of `prompt_text`: operations on the text of a prompt, carried out on a decoder's instruction tokens.

No JAX here: `--help` is instant.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.base import Base
from lab.config.key_checks import some_each_once
from lab.config.recommender import RecommenderModel
from lab.config.training import EvalUsers, Training, number_of_seeds
from tasks.settings import PROBABILITY, Parameters, above_zero, chosen, key, positive


@dataclass
class TextModel(RecommenderModel):
    """The decoder, with instruction tokens."""

    instructions: int = positive(4, "Learned tokens in front of the prompt, which stand for its text.")


@dataclass
class PrefixTraining(Training):
    """The training of further tokens in front, on prompts like those of the test; no other weights change."""

    steps: int = positive(300, "Steps of the optimiser.")
    learning_rate: float | None = key(0.03, "Largest learning rate; null: the optimiser's own.", above=0)


@dataclass
class PromptText(Base):
    """A decoder learns to recommend. Then its instruction tokens are shrunk, moved after the demonstrations, or
    preceded by further trained ones; the prompts contain demonstrations of another person."""

    GROUPS: ClassVar = {"task": "recommend"}
    FIGURE: ClassVar = "prompt_text"
    FIRST: ClassVar = ["seeds", "eval.users", "examples", "contamination", "alpha", "prefix_tokens",
                       "model.instructions", "model.num_layers", "model.width", "train.steps"]  # fmt: skip
    TINY: ClassVar = ["experiment=prompt_text", "task.num_context=4", "task.slate=6", "task.item_dim=3", *smoke.WIDTHS,
                      "model.num_layers=2", "train.steps=3", "train.batch_size=4", "prefix.steps=3",
                      "prefix.batch_size=4", "prefix_tokens=2", "alpha=[0.5,1.0]", "eval.users=6", "examples=4",
                      "queries=3", "eval.block=4", "seeds=2"]  # fmt: skip

    task: Parameters = chosen("The task that draws users, items and choices.")
    model: TextModel = field(default_factory=TextModel)
    train: Training = field(default_factory=lambda: Training(steps=1000))
    prefix: PrefixTraining = field(default_factory=PrefixTraining)
    prefix_tokens: int = positive(4, "Further tokens that are trained in front of the prompt.")
    penalty: float = above_zero(3.0, "Penalty of ridge regression, with which answers are compared.")
    alpha: list[float] = key(
        [0.1, 0.3, 0.6, 1.0], "Values of instruction tokens are multiplied by 1 - alpha.", above=0, at_most=1
    )
    # As many other users are used to choose among the alphas.
    eval: EvalUsers = field(default_factory=lambda: EvalUsers(2000, 500))
    examples: int = positive(16, "N, the demonstrations of a prompt.")
    contamination: float = key(0.5, "Share of the demonstrations that is another person's.", **PROBABILITY)
    queries: int = positive(10, "Queries per user.")
    seeds: int = number_of_seeds(3)

    def check(self) -> None:
        some_each_once("alpha", self.alpha)
        self.model.check()
