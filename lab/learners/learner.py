"""The types of everything that answers a prompt: an in-context learner is a function prompt -> answer (Q, A).

A learner is a Flax module used as a plain pytree: one prompt in, called through `jax.*` transforms only. What a trainer
may change is an `nnx.Param`; what belongs to the learner but stays as it was given is a `Fixed`.
"""

import abc
import functools
from collections.abc import Callable
from typing import ClassVar

import jax
from flax import nnx, struct

from tasks.episode import Prompt


class Fixed(nnx.Variable):
    """An array of a learner that no trainer changes."""


@struct.dataclass
class Trace:
    """What happens in each layer for one prompt; None for what a learner does not have.

    L layers, H heads, T tokens that attend (the context's, then the queries'), S that are attended to (of a linear
    Transformer the context's, then the rows of documents; of a decoder all T), D token width. A decoder's keys and
    values are as wide as a head, and G groups of heads share them.
    """

    readouts: jax.Array  # (L, Q, A) the answer after each layer
    scores: jax.Array | None = None  # (L, H, T, S)
    outputs: jax.Array | None = None  # (L, T, D) the tokens after each layer
    keys: jax.Array | None = None  # (L, H, S, D) or (L, G, S, A)
    values: jax.Array | None = None  # (L, H, S, D) or (L, G, S, A)
    mask: jax.Array | None = None  # (T, S), whose scores count; None: all
    inputs: jax.Array | None = None  # (L, T, D) what attention reads: tokens before the layer, normalised
    attended: jax.Array | None = None  # (L, T, D) what attention adds to each token


def _refusing_hidden_examples(method: Callable) -> Callable:
    @functools.wraps(method)
    def checked(self, prompt: Prompt):
        if prompt.visible is not None and not self.honours_visible:
            raise ValueError(f"{type(self).__name__} answers from the whole context: it cannot honour prompt.visible")
        return method(self, prompt)

    return checked


class Learner(nnx.Module, abc.ABC):
    """Subclasses define `__call__`. One that does as `Prompt.visible` says sets `honours_visible`; any other refuses a
    prompt that hides examples: its methods are wrapped here, so that none can ignore it."""

    honours_visible: ClassVar[bool] = False

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        for name in ("__call__", "batch", "readouts", "trace"):
            if name in vars(cls):
                setattr(cls, name, _refusing_hidden_examples(vars(cls)[name]))

    @abc.abstractmethod
    def __call__(self, prompt: Prompt) -> jax.Array:
        """The answer (Q, A) to each query of one prompt.

        Raises:
            ValueError: the prompt hides examples from queries and the learner cannot leave them out.
        """

    def batch(self, prompts: Prompt) -> jax.Array:
        """The answers (B, Q, A) to many prompts. A learner that answers many faster than one by one says how."""
        return jax.vmap(self)(prompts)


class Layered(Learner):
    """A learner that could be asked after each of its layers or steps."""

    @abc.abstractmethod
    def readouts(self, prompt: Prompt) -> jax.Array:
        """(L, Q, A): the answer to one prompt after each layer or step."""

    def __call__(self, prompt: Prompt) -> jax.Array:
        return self.readouts(prompt)[-1]

    def trace(self, prompt: Prompt) -> Trace:
        """The forward pass layer by layer; its last read-out is the answer."""
        return Trace(self.readouts(prompt))


def predict(learner: Learner, prompts: Prompt) -> jax.Array:
    """(B, Q, A): the learner's answer to each of a batch of prompts."""
    return learner.batch(prompts)


def readouts(learner: Learner, prompt: Prompt) -> jax.Array:
    """(L, Q, A): the answers of a learner after each layer, or its only answer as that of one layer."""
    return learner.readouts(prompt) if isinstance(learner, Layered) else learner(prompt)[None]
