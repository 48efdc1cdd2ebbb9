"""Settings of `deep_thinking`: a decoder reads its context several times before it answers. No JAX here."""

import itertools
from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.training import EvalBlocks, StartsFromTrained
from lab.errors import ConfigError
from tasks.settings import at_least_two, key, several


@dataclass
class Rereading:
    """The keys of reading again, the same for every subject."""

    iterations: int = key(
        15, "T, the most iterations; the first is plain in-context learning.", at_least=2, at_most=1000
    )
    eta: list[float] = several(
        [0.01, 0.1, 0.001], "Rates of the updates; every rate is combined with every momentum.", above=0, at_most=2
    )
    beta: list[float] = several([0.9, 0.0], "Momenta of the updates.", at_least=0, at_most=0.999)
    memory: float = key(16.0, "Memory that the table of costs reckons with.", unit="GiB", above=0)

    def check_rates(self) -> None:
        """Refuse rates and momenta that are none, given twice, or diverge together (ConfigError)."""
        for eta, beta in itertools.product(self.eta, self.beta):
            if eta >= 2 * (1 + beta):
                raise ConfigError(f"eta={eta:g} with beta={beta:g} diverges: must be < 2 (1 + beta)")


@dataclass
class DeepThinking(Rereading, StartsFromTrained):
    """Keys and values are optimised iteratively; the number of iterations is chosen on validation episodes."""

    FIRST: ClassVar = ["model.experiment", "seeds", "model.words", "test", "iterations", "eta", "beta", "eval.episodes",
                       "scored", "queries"]  # fmt: skip
    TINY: ClassVar = ["experiment=deep_thinking", *smoke.trained(smoke.DECODER), "eval.episodes=6", "validation=6",
                      "scored=[2,4]", "queries=4", "eval.block=4", "iterations=3", "eta=[0.1,0.01]",
                      "beta=[0.9,0.0]"]  # fmt: skip

    test: list[str] = key([], "Words task.KEY=VALUE in which the test's task differs from training's.")
    eval: EvalBlocks = field(default_factory=lambda: EvalBlocks(100, 10))
    validation: int = at_least_two(100, "Episodes on which the number of iterations is chosen.")
    scored: list[int] = several(
        [32, 100, 872], "Queries of an episode that choose its own number of iterations.", at_least=1, at_most=10**6
    )
    queries: int = at_least_two(200, "Queries per episode that choose nothing: the fresh ones.")
    offset: bool = key(False, "Positions of the second reading continue those of the first.")

    def check(self) -> None:
        self.check_rates()
