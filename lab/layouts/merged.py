"""The layout of a token: e = (f, y), features in front, target behind (design 2.1).

Context tokens are (f_i, y_i). The query's y-slot holds -W_0 f_q, minus the prediction of the initial model, and a
prediction is read out as minus the y-slot.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from tasks.episode import Episode, Inputs
from tasks.task import Task


@dataclasses.dataclass(frozen=True)
class TokenLayout:
    """Where features and target stand in a token. Hashable, so that it can be static structure of a module."""

    fields: tuple[tuple[str, int], ...]  # the inputs that make up the features, in order, with their widths
    output_dim: int  # Y

    @classmethod
    def of(cls, task: Task) -> "TokenLayout":
        return cls(task.features, task.output_dim)

    @property
    def feature_dim(self) -> int:
        """F."""
        return sum(width for _, width in self.fields)

    @property
    def token_dim(self) -> int:
        """D = F + Y."""
        return self.feature_dim + self.output_dim

    def features(self, inputs: Inputs) -> jax.Array:
        """f (..., F), the inputs side by side in the layout's order."""
        return jnp.concatenate([getattr(inputs, name) for name, _ in self.fields], axis=-1)

    @property
    def spread(self) -> np.ndarray:
        """S (F, I), f = S i for the distinct inputs i side by side: the identity where no input is shown twice."""
        distinct = dict(self.fields)
        starts = dict(zip(distinct, np.cumsum([0, *distinct.values()]), strict=False))
        source = np.concatenate([starts[name] + np.arange(width) for name, width in self.fields])
        return np.eye(sum(distinct.values()))[source]

    @property
    def fold(self) -> np.ndarray:
        """T (D, I + Y), e = T (i, y): a token in terms of the distinct inputs and the target."""
        spread_FxI, out = self.spread, self.output_dim
        return np.block(
            [[spread_FxI, np.zeros((len(spread_FxI), out))], [np.zeros((out, spread_FxI.shape[1])), np.eye(out)]]
        )

    def context_tokens(self, episode: Episode) -> jax.Array:
        """(N, D)."""
        return jnp.concatenate([self.features(episode.context), episode.context_y], axis=-1)

    def query_tokens(self, episode: Episode, initial_model_YxF: jax.Array) -> jax.Array:
        """(Q, D)."""
        f_QxF = self.features(episode.query)
        return jnp.concatenate([f_QxF, -f_QxF @ initial_model_YxF.T], axis=-1)
