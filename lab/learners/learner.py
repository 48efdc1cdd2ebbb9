"""The types of everything that answers a prompt: an in-context learner is a function prompt -> answer (Q, A).

A learner is a Flax module that is used as a plain pytree: it takes one prompt, and is called through `jax.*` transforms
only. Arrays that a trainer may change are `nnx.Param`; arrays that no trainer changes are `Fixed`.
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
    """The arrays that a learner computes in each layer for one prompt; None for those that it does not have.

    L layers, H heads, D token width, T tokens that attend (the context's, then the queries'), S tokens that are
    attended to (in a linear Transformer the context's, then the rows of documents; in a decoder all T). A decoder's
    keys and values are as wide as a head, and G groups of heads share them.
    """

    readouts: jax.Array  # (L, Q, A) the answer after each layer
    scores: jax.Array | None = None  # (L, H, T, S)
    outputs: jax.Array | None = None  # (L, T, D) the tokens after each layer
    keys: jax.Array | None = None  # (L, H, S, D) or (L, G, S, A)
    values: jax.Array | None = None  # (L, H, S, D) or (L, G, S, A)
    mask: jax.Array | None = None  # (T, S) bool, True where a score counts; None: all count
    inputs: jax.Array | None = None  # (L, T, D) the input of attention: the tokens before the layer, normalised
    attended: jax.Array | None = None  # (L, T, D) what attention adds to each token


def _refusing_hidden_examples(method: Callable) -> Callable:
    @functools.wraps(method)
    def checked(self, prompt: Prompt):
        if prompt.visible is not None and not self.honours_visible:
            raise ValueError(f"{type(self).__name__} answers from the whole context: it cannot honour prompt.visible")
        return method(self, prompt)

    return checked


class Learner(nnx.Module, abc.ABC):
    """The base of all learners; subclasses define `__call__`.

    A learner that leaves out hidden examples, as `Prompt.visible` asks, sets `honours_visible`. Any other refuses a
    prompt that hides examples: its methods are wrapped here, so that none can ignore `Prompt.visible`.
    """

    honours_visible: ClassVar[bool] = False

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        for name in ("__call__", "batch", "readouts", "trace"):
            if name in vars(cls):
                setattr(cls, name, _refusing_hidden_examples(vars(cls)[name]))

    @abc.abstractmethod
    def __call__(self, prompt: Prompt) -> jax.Array:
        """Return the answer to each query of one prompt, (Q, A).

        Raises:
            ValueError: the prompt hides examples from queries and the learner cannot leave them out.
        """

    def batch(self, prompts: Prompt) -> jax.Array:
        """Return the answers (B, Q, A) to many prompts; a learner with a faster way than one by one overrides this."""
        return jax.vmap(self)(prompts)


class Layered(Learner):
    """A learner whose answer can be read off after each of its layers or steps."""

    @abc.abstractmethod
    def readouts(self, prompt: Prompt) -> jax.Array:
        """Return the answers to one prompt after each layer or step, (L, Q, A)."""

    def __call__(self, prompt: Prompt) -> jax.Array:
        return self.readouts(prompt)[-1]

    def trace(self, prompt: Prompt) -> Trace:
        """Return the forward pass layer by layer; its last readout is the answer."""
        return Trace(self.readouts(prompt))


def predict(learner: Learner, prompts: Prompt) -> jax.Array:
    """Return the learner's answers to each of a batch of prompts, (B, Q, A)."""
    return learner.batch(prompts)


def readouts(learner: Learner, prompt: Prompt) -> jax.Array:
    """Return the answers of a learner after each layer, (L, Q, A), or its only answer as that of one layer."""
    return learner.readouts(prompt) if isinstance(learner, Layered) else learner(prompt)[None]


def traced(learner: Learner, prompt: Prompt) -> Trace:
    """Return the forward pass of a learner; without layers it holds the only answer, as that of one layer."""
    return learner.trace(prompt) if isinstance(learner, Layered) else Trace(learner(prompt)[None])


def documents(prompt: Prompt) -> jax.Array:
    """Return the documents (K, W) of a prompt.

    Raises:
        ValueError: the prompt has none.
    """
    if prompt.documents is None:
        raise ValueError("this learner reads documents, and the prompt has none")
    return prompt.documents
