"""The base of online learners: they go through the context in order, and answer with the last W.

A second pass fits what the first one left, y - W f, from zero, and the answers of the passes are added up. Where a
step depends on W by its residual alone, as of gradient descent without decay, each pass goes on from the W before.
"""

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from flax import nnx

from lab.attention.fast_weights.rule import Tokens
from lab.layouts.merged import TokenLayout
from lab.learners.descent import starting_model
from lab.learners.gates import Gates
from lab.learners.learner import Layered, Learner
from tasks.episode import Prompt


class OnlineLearner(Layered):
    """Takes `passes` passes, the first one from W_0 (Y, F), zero by default. gates: of one head, read from (f, y)."""

    def __init__(
        self, layout: TokenLayout, gates: Gates, passes: int = 1, initial_model: jax.Array | None = None
    ):  # fmt: skip
        self.layout, self.gates, self.passes = layout, gates, passes
        self.initial_model = starting_model(layout, initial_model)

    def fit(self, w_0_YxF: jax.Array, examples: Tokens) -> jax.Array:
        """Return W (Y, F) after the examples, whose keys are features and whose values are targets: here by `step`."""
        return jax.lax.scan(lambda w_YxF, example: (self.step(w_YxF, example), None), w_0_YxF, examples)[0]

    def step(self, w_YxF: jax.Array, example: Tokens) -> jax.Array:
        """Return W after one example. A learner that is no such recursion overrides `fit` instead."""
        raise NotImplementedError

    def readouts(self, prompt: Prompt) -> jax.Array:
        f_NxF, f_QxF = self.layout.features(prompt.context), self.layout.features(prompt.query)
        w_YxF, y_NxY, total_QxY, answers = self.initial_model[...], prompt.answers, 0.0, []
        for _ in range(self.passes):
            gates = (gate[0] for gate in self.gates(jnp.concatenate([f_NxF, y_NxY], axis=1)))
            fitted_YxF = self.fit(w_YxF, Tokens(f_NxF, y_NxY, *gates))
            y_NxY, total_QxY = y_NxY - f_NxF @ fitted_YxF.T, total_QxY + f_QxF @ fitted_YxF.T
            answers.append(total_QxY)
            w_YxF = jnp.zeros_like(w_YxF)
        return jnp.stack(answers)


def example_loss(w_YxF: jax.Array, example: Tokens) -> jax.Array:
    """Return 1/2 |W f - y|^2 of one example, or the sum over several."""
    return 0.5 * jnp.sum((example.keys @ w_YxF.T - example.values) ** 2)


class Passes(Layered):
    """Any learners, the first one on the targets, each later one on what those before it left, y - W f.

    Their answers are added up. A stack of fast-weight layers is this learner (`construction`). `OnlineLearner.passes`
    is the same with one set of gates for all passes.
    """

    def __init__(self, learners: Sequence[Learner]):
        self.learners = nnx.List(learners)

    def readouts(self, prompt: Prompt) -> jax.Array:
        count, y_NxY, total_QxY, answers = len(prompt.answers), prompt.answers, 0.0, []
        everywhere = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), prompt.context, prompt.query)
        for learner in self.learners:
            fitted = learner(dataclasses.replace(prompt, answers=y_NxY, query=everywhere))
            y_NxY, total_QxY = y_NxY - fitted[:count], total_QxY + fitted[count:]
            answers.append(total_QxY)
        return jnp.stack(answers)
