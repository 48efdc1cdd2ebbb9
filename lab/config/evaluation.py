"""The sections `eval` of the kinds: what their learners are tested on. The same key means the same in every kind."""

from dataclasses import dataclass

from lab.config.base import LARGEST, marked
from tasks.settings import at_least_two, key, nonnegative, positive


@dataclass
class EvalEpisodes:
    """The test episodes."""

    episodes: int = at_least_two(200, "Test episodes of each seed.")


@dataclass
class EvalBlocks(EvalEpisodes):
    """The test episodes, which are drawn and measured block by block."""

    block: int = positive(50, "Episodes measured at a time; each block is drawn from a key of its own.")


@dataclass
class EvalUsers:
    """The test users, who are drawn and measured block by block."""

    users: int = at_least_two(1000, "Test users of each seed.")
    block: int = positive(250, "Users measured at a time; each block is drawn from a key of its own.")


@dataclass
class EvalDraws:
    """The test of a training run: its random numbers, and how much of it is in memory at a time."""

    seed: int = key(
        0,
        "A run draws its test episodes from the sum of this and its own seed.",
        at_least=0,
        at_most=LARGEST,
        traced=True,
    )
    chunk: int = marked(nonnegative(0, "Episodes measured at a time; 0: all that fit into memory."), not_hashed=True)


@dataclass
class Eval(EvalDraws):
    """The test episodes, on which learners are measured."""

    episodes: int = at_least_two(10_000, "Test episodes of each seed.")

    @property
    def in_training(self) -> int:
        """The episodes of each evaluation during the training."""
        return self.episodes
