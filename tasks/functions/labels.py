"""Functions with two labels: f(x) = w . x with w ~ N(0, I), x ~ N(0, I), and each class defines the label given f(x).

The context shows labels one-hot, and the loss is cross-entropy, which is log 2 for the answer 0.
"""

import abc
import math

import jax

from tasks import settings
from tasks.classification import Classification
from tasks.episode import Episode
from tasks.flat_random import normal
from tasks.functions.function import FunctionClass
from tasks.task import pytree


class Labels(FunctionClass, Classification):
    """A class of functions with two labels, which defines `labels`."""

    @property
    def answer_dim(self) -> int:
        return 2

    @property
    def zero_loss(self) -> float:
        return math.log(2)

    @abc.abstractmethod
    def labels(self, key: jax.Array, value_BxN: jax.Array) -> jax.Array:
        """Return labels 0 or 1 (B, N), given f(x) (B, N)."""

    def draw(self, key: jax.Array, count: int) -> jax.Array:
        """Return w (count, X)."""
        return normal(key, (count, self.input_dim))[0]

    def apply(self, weights: jax.Array, x_NxX: jax.Array) -> jax.Array:
        return x_NxX @ weights

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_functions, key_inputs, key_labels = jax.random.split(key, 3)
        x_BxNxX = self.inputs(key_inputs, batch, self.num_context)
        value_BxN = self.values(self.draw(key_functions, batch), x_BxNxX)[..., 0]
        label_BxN = self.labels(key_labels, value_BxN)
        return self.episodes(x_BxNxX, jax.nn.one_hot(label_BxN, 2, dtype=x_BxNxX.dtype), x_BxNxX, label_BxN)


@pytree
class Halfspaces(settings.Halfspaces, Labels):
    """`halfspaces`: the label of x is the sign of w . x, with w ~ N(0, I) and x ~ N(0, I): 1 where it is above 0.

    >>> import jax
    >>> episodes = Halfspaces(num_context=6).sample(jax.random.key(0), batch=3)
    >>> episodes.prompt.answers.shape, episodes.target.shape
    ((3, 6, 2), (3, 6))
    """

    def labels(self, key: jax.Array, value_BxN: jax.Array) -> jax.Array:
        return (value_BxN > 0).astype(int)


@pytree
class Logistic(settings.Logistic, Labels):
    """`logistic`: the label of x is 1 with probability 1 / (1 + exp(-slope w . x)), with w ~ N(0, I) and x ~ N(0, I).

    >>> import jax
    >>> Logistic(num_context=6).sample(jax.random.key(0), batch=3).target.shape
    (3, 6)
    """

    def labels(self, key: jax.Array, value_BxN: jax.Array) -> jax.Array:
        return jax.random.bernoulli(key, jax.nn.sigmoid(self.slope * value_BxN)).astype(int)
