"""Settings of `decoder`: a causal Transformer is trained on a task, and measured with several numbers of examples.

No JAX here: `--help` is instant.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.decoder import DecoderEval, TrainsDecoder
from lab.errors import ConfigError


@dataclass
class Decoder(TrainsDecoder):
    """A decoder learns a task in context, and is compared with the Bayes-optimal answer where that is known."""

    GROUPS: ClassVar = {"task": "shifted_classes"}
    FIRST: ClassVar = ["task", "seeds", "train.steps", "train.learning_rate",
                       "model.num_layers", "model.width", "model.positions", "task.num_context",
                       "task.input_dim", "eval.examples"]  # fmt: skip
    TINY: ClassVar = ["experiment=shifted_classes", "seeds=2", *smoke.DECODER]

    eval: DecoderEval = field(default_factory=DecoderEval)

    @property
    def counts(self) -> list[int]:
        """Return the numbers of examples with which it is measured."""
        most = self.task.num_context
        return self.eval.examples or sorted({0, most // 4, most // 2, most})

    def check(self) -> None:
        super().check()
        if max(self.counts) > self.task.num_context:
            raise ConfigError(
                f"eval.examples={self.eval.examples}: an episode has task.num_context={self.task.num_context} examples"
            )
