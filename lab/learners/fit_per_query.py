"""Learners that are fitted to the examples that a query sees.

They are fitted once per prompt, or once per query where the queries of a prompt see different examples.
"""

import abc
from collections.abc import Callable

import jax
import jax.numpy as jnp

from lab.layouts.merged import TokenLayout
from lab.learners.learner import Learner
from tasks.episode import Prompt
from tasks.masks import visible_or_all

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
