"""Learners that are fitted to the examples that a query sees: once for a prompt, or once for each of its queries where
these see different ones."""

import abc
from collections.abc import Callable

import jax
import jax.numpy as jnp

from lab.layouts.merged import TokenLayout
from lab.learners.learner import Learner
from tasks.episode import Prompt
from tasks.visible import visible_or_all


def by_query(answers: Callable, layout: TokenLayout, prompt: Prompt) -> jax.Array:
    """(Q, Y): answers(f_NxF, y_NxY, f_QxF), for each query with f = y = 0 in place of the examples that it does not
    see."""
    f_NxF, y_NxY, f_QxF = layout.features(prompt.context), prompt.answers, layout.features(prompt.query)
    if prompt.visible is None:
        return answers(f_NxF, y_NxY, f_QxF)

    def one_query(f_F: jax.Array, visible_N: jax.Array) -> jax.Array:
        return answers(*seen_only(visible_N, f_NxF, y_NxY), f_F[None])[0]

    return jax.vmap(one_query)(f_QxF, prompt.visible)


def seen_only(visible_N: jax.Array, *each_NxF: jax.Array) -> list[jax.Array]:
    """The arrays with 0 in place of hidden examples."""
    return [jnp.where(visible_N[:, None], each, 0.0) for each in each_NxF]


class ByQuery(Learner):
    """A learner that answers one query at a time. Subclasses define `answer`."""

    honours_visible = True

    def __init__(self, layout: TokenLayout):
        self.layout = layout

    def __call__(self, prompt: Prompt) -> jax.Array:
        f_NxF, y_NxY, f_QxF = self.layout.features(prompt.context), prompt.answers, self.layout.features(prompt.query)

        def one_query(f_F: jax.Array, visible_N: jax.Array) -> jax.Array:
            return self.answer(*seen_only(visible_N, f_NxF, y_NxY), visible_N, f_F)

        return jax.vmap(one_query)(f_QxF, visible_or_all(prompt))

    @abc.abstractmethod
    def answer(self, f_NxF: jax.Array, y_NxY: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        """(Y,), from examples of which the hidden ones are 0."""
