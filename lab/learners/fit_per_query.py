"""Learners that are fitted to the examples that a query sees.

They are fitted once per prompt, or once per query where the queries of a prompt see different examples.
"""

import abc
from collections.abc import Callable

import jax
import jax.numpy as jnp

from lab.layouts.merged import TokenLayout
from lab.learners.learner import Learner
from tasks.episode import Prompt, visible_or_all

Answers = Callable[[jax.Array, jax.Array, jax.Array], jax.Array]  # (f (N, F), y (N, Y), f of queries (Q, F)) -> (Q, Y)


def by_query(answers: Answers, layout: TokenLayout, prompt: Prompt) -> jax.Array:
    """Return answers(f_NxF, y_NxY, f_QxF), (Q, Y); each query gets f = y = 0 in place of the examples it cannot see."""
    f_NxF, y_NxY, f_QxF = layout.features(prompt.context), prompt.answers, layout.features(prompt.query)
    if prompt.visible is None:
        return answers(f_NxF, y_NxY, f_QxF)

    def one_query(f_F: jax.Array, visible_N: jax.Array) -> jax.Array:
        return answers(*visible_only(visible_N, f_NxF, y_NxY), f_F[None])[0]

    return jax.vmap(one_query)(f_QxF, prompt.visible)


def visible_only(visible_N: jax.Array, f_NxF: jax.Array, y_NxY: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return features (N, F) and targets (N, Y) with 0 in place of hidden examples."""
    return jnp.where(visible_N[:, None], f_NxF, 0.0), jnp.where(visible_N[:, None], y_NxY, 0.0)


class ByQuery(Learner):
    """The base of learners that answer one query at a time; subclasses define `answer`."""

    honours_visible = True

    def __init__(self, layout: TokenLayout):
        self.layout = layout

    def __call__(self, prompt: Prompt) -> jax.Array:
        f_NxF, y_NxY, f_QxF = self.layout.features(prompt.context), prompt.answers, self.layout.features(prompt.query)

        def one_query(f_F: jax.Array, visible_N: jax.Array) -> jax.Array:
            return self.answer(*visible_only(visible_N, f_NxF, y_NxY), visible_N, f_F)

        return jax.vmap(one_query)(f_QxF, visible_or_all(prompt))

    @abc.abstractmethod
    def answer(self, f_NxF: jax.Array, y_NxY: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        """Return the answer (Y,) to one query with features f_F, from examples of which the hidden ones are 0."""


class LeastSquares(Learner):
    """Predicts W f_q, with W of smallest norm among those that fit the context best.

    It is the limit of ridge regression as its penalty goes to zero, by a singular value decomposition.
    """

    honours_visible = True  # an example with f = y = 0 fits every W, and W of smallest norm is not changed by it

    def __init__(self, layout: TokenLayout):
        self.layout = layout

    def __call__(self, prompt: Prompt) -> jax.Array:
        return by_query(_answers, self.layout, prompt)


def _answers(f_NxF: jax.Array, y_NxY: jax.Array, f_QxF: jax.Array) -> jax.Array:
    return f_QxF @ jnp.linalg.lstsq(f_NxF, y_NxY)[0]


class Averaging(ByQuery):
    """Averaging [Garg22] predicts W f_q with W = 1/n sum_i y_i f_i^T over the n examples, and 0 without examples.

    It is one step of gradient descent from zero on 1/(2n) sum_i ||W f_i - y_i||^2 at rate 1. For inputs ~ N(0, I) it is
    an unbiased estimate of a linear teacher.
    """

    def answer(self, f_NxF: jax.Array, y_NxY: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        return (f_NxF @ f_F) @ y_NxY / jnp.maximum(jnp.sum(visible_N), 1)


class Nearest(ByQuery):
    """Nearest neighbours [Garg22] predict the mean answer of the k examples whose features are nearest to the query's.

    With fewer than k examples it is the mean of all, and without examples 0.
    """

    def __init__(self, layout: TokenLayout, neighbours: int = 3):
        super().__init__(layout)
        self.neighbours = neighbours  # k

    def answer(self, f_NxF: jax.Array, y_NxY: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        distance_N = jnp.where(visible_N, jnp.sum((f_NxF - f_F[None]) ** 2, axis=1), jnp.inf)
        least_K, nearest_K = jax.lax.top_k(-distance_N, min(self.neighbours, len(y_NxY)))
        counts_K = least_K > -jnp.inf
        return jnp.where(counts_K, 1.0, 0.0) @ y_NxY[nearest_K] / jnp.maximum(jnp.sum(counts_K), 1)
