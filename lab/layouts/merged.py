"""The layout of a token e = (f, y), with the features first and then the target.

Context tokens are (f_i, y_i). The query's y-slot holds -W_0 f_q, minus the prediction of the initial model, and a
prediction is read out as minus the y-slot.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from tasks.episode import Inputs, Prompt
from tasks.task import Task


@dataclasses.dataclass(frozen=True)
class TokenLayout:
    """The places of features and target in a token. It is hashable, so that it can be static structure of a module."""

    fields: tuple[tuple[str, int], ...]  # the inputs that make up the features, in order, with their widths
    answer_dim: int  # Y, the width of a target, and of an answer

    @classmethod
    def of(cls, task: Task) -> "TokenLayout":
        """Return the layout of a task's tokens."""
        return cls(task.features, task.answer_dim)

    @property
    def feature_dim(self) -> int:
        """Return F, the width of the features."""
        return sum(width for _, width in self.fields)

    @property
    def token_dim(self) -> int:
        """Return D = F + Y, the width of a token."""
        return self.feature_dim + self.answer_dim

    def features(self, inputs: Inputs) -> jax.Array:
        """Return the features f (..., F), which are the inputs side by side in the layout's order."""
        return jnp.concatenate([getattr(inputs, name) for name, _ in self.fields], axis=-1)

    @property
    def feature_duplication(self) -> np.ndarray:
        """Return S (F, I) with f = S i, where i are the distinct inputs side by side.

        It is the identity where no input is shown twice.
        """
        distinct = dict(self.fields)
        starts = dict(zip(distinct, np.cumsum([0, *distinct.values()]), strict=False))
        source = np.concatenate([starts[name] + np.arange(width) for name, width in self.fields])
        return np.eye(sum(distinct.values()))[source]

    @property
    def token_duplication(self) -> np.ndarray:
        """Return T (D, I + Y) with e = T (i, y), which gives a token from the distinct inputs and the target."""
        s_FxI, out = self.feature_duplication, self.answer_dim
        return np.block([[s_FxI, np.zeros((len(s_FxI), out))], [np.zeros((out, s_FxI.shape[1])), np.eye(out)]])

    def context_tokens(self, prompt: Prompt) -> jax.Array:
        """Return the tokens of the context, (N, D)."""
        return jnp.concatenate([self.features(prompt.context), prompt.answers], axis=-1)

    def query_tokens(self, prompt: Prompt, initial_model_YxF: jax.Array) -> jax.Array:
        """Return the tokens of the queries, (Q, D), with -W_0 f_q in the y-slots."""
        f_QxF = self.features(prompt.query)
        return jnp.concatenate([f_QxF, -f_QxF @ initial_model_YxF.T], axis=-1)
