"""Functions with real values: the answers of the context are f(x_t) + noise, and the targets are f(x_t) without noise.

The loss is 1/2 squared error, so errors divided by that of the answer 0 are squared errors divided by E f^2.
"""

import abc
import math

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.episode import Episode, Prompt, visible_or_all
from tasks.flat_random import normal, uniform
from tasks.functions.function import FunctionClass, Weights
from tasks.regression import Regression, minimum_norm
from tasks.task import pytree
from tasks.wrapper import Wrapper


class RealFunctions(FunctionClass, Regression):
    """A class of functions with real values, which also defines `second_moment`."""

    noise: float

    @property
    def answer_dim(self) -> int:
        return 1

    @property
    @abc.abstractmethod
    def second_moment(self) -> jax.Array | float:
        """Return E f(x)^2, the mean over functions and inputs."""

    @property
    def zero_loss(self) -> jax.Array | float:
        return self.second_moment / 2

    def answers(self, key: jax.Array, value_BxNx1: jax.Array) -> jax.Array:
        """Return the answers of the context (B, N, 1): the values plus noise of standard deviation `noise`."""
        return value_BxNx1 + self.noise * normal(key, value_BxNx1.shape)[0]

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_functions, key_inputs, key_noise = jax.random.split(key, 3)
        x_BxNxX = self.inputs(key_inputs, batch, self.num_context)
        value_BxNx1 = self.values(self.draw(key_functions, batch), x_BxNxX)
        return self.episodes(x_BxNxX, self.answers(key_noise, value_BxNx1), x_BxNxX, value_BxNx1)


class NormalWeights(RealFunctions):
    """Functions with weights w ~ N(0, I), one per input, and E f^2 = X, the number of inputs."""

    @property
    def second_moment(self) -> int:
        return self.input_dim

    def draw(self, key: jax.Array, count: int) -> Weights:
        """Return w (count, X)."""
        return normal(key, (count, self.input_dim))[0]


@pytree
class Linear(settings.Linear, NormalWeights):
    """`linear`: f(x) = w . x with w ~ N(0, I) and x ~ N(0, I) [Garg22]. E f^2 = X, the number of inputs.

    With noise of standard deviation `noise` on the answers of the context, the Bayes-optimal answer is ridge regression
    with the noise's variance as the penalty, and without noise it is the least-squares solution of smallest norm.

    >>> import jax
    >>> episodes = Linear(num_context=6, input_dim=2).sample(jax.random.key(0), batch=3)
    >>> episodes.prompt.context.x.shape, episodes.prompt.visible.shape, episodes.target.shape
    ((3, 6, 2), (3, 6, 6), (3, 6, 1))
    """

    def apply(self, weights: jax.Array, x_NxX: jax.Array) -> jax.Array:
        return x_NxX @ weights

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal answer (Q, 1), x . w with w the mean of the posterior.

        w minimises ||y - X w||^2 + noise^2 ||w||^2, and of several such w it has the smallest norm. That is least
        squares with the additional rows noise I and targets 0, with or without noise.
        """
        visible_QxN, width = visible_or_all(prompt), self.input_dim
        rows = jnp.concatenate([prompt.context.x, self.noise * jnp.eye(width)])
        targets = jnp.concatenate([prompt.answers, jnp.zeros((width, 1))])
        visible = jnp.concatenate([visible_QxN, jnp.ones((len(visible_QxN), width), bool)], axis=1)
        return minimum_norm(rows, targets, prompt.query.x, visible)


@pytree
class Quadratic(settings.Quadratic, NormalWeights):
    """`quadratic`: f(x) = sum_i w_i x_i^2 / sqrt(3) with w ~ N(0, I) and x ~ N(0, I), as in the code of [Garg22].

    E f^2 = X, the number of inputs, as for `linear`, since E x^4 = 3.

    >>> import jax
    >>> Quadratic(num_context=6).sample(jax.random.key(0), batch=3).target.shape
    (3, 6, 1)
    """

    def apply(self, weights: jax.Array, x_NxX: jax.Array) -> jax.Array:
        return x_NxX**2 @ weights / math.sqrt(3)


@pytree
class ReluNetwork(settings.ReluNetwork, NormalWeights):
    """`relu_network`: f(x) = sqrt(2 / H) sum_h v_h relu(u_h . x), all u and v ~ N(0, 1), x ~ N(0, I) [Garg22].

    E f^2 = X, the number of inputs: each term has E relu(u . x)^2 = X / 2, and there are H of them.

    >>> import jax
    >>> [leaf.shape for leaf in ReluNetwork(input_dim=3, hidden=7).draw(jax.random.key(0), 2)]
    [(2, 7, 3), (2, 7)]
    """

    def draw(self, key: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
        """Return u (count, H, X) and v (count, H)."""
        u, v = normal(key, (count, self.hidden, self.input_dim), (count, self.hidden))
        return u, v

    def apply(self, weights: tuple[jax.Array, jax.Array], x_NxX: jax.Array) -> jax.Array:
        u_HxX, v_H = weights
        return math.sqrt(2 / self.hidden) * (jax.nn.relu(x_NxX @ u_HxX.T) @ v_H)


LARGEST_INPUT = 5.0
AMPLITUDES = (0.1, 5.0)


@pytree
class Sine(settings.Sine, RealFunctions):
    """`sine`: f(x) = a sin(x + b) of one input x ~ U(-5, 5), a ~ U(.1, 5) and b ~ U(0, pi) [VO23].

    E f^2 = E a^2 / 2 = (5^2 + 5 * .1 + .1^2) / 6, since the mean of sin(x + b)^2 over the phase b is 1/2 for every x.

    >>> import jax
    >>> Sine(num_context=6).sample(jax.random.key(0), batch=3).prompt.context.x.shape
    (3, 6, 1)
    """

    @property
    def second_moment(self) -> float:
        low, high = AMPLITUDES
        return (low**2 + low * high + high**2) / 6

    def inputs(self, key: jax.Array, batch: int, count: int) -> jax.Array:
        return LARGEST_INPUT * uniform(key, (batch, count, self.input_dim))[0]

    def draw(self, key: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
        """Return amplitudes and phases, (count,) each."""
        low, high = AMPLITUDES
        amplitude, phase = uniform(key, (count,), (count,))
        return (low + high) / 2 + (high - low) / 2 * amplitude, math.pi / 2 * (1 + phase)

    def apply(self, weights: tuple[jax.Array, jax.Array], x_NxX: jax.Array) -> jax.Array:
        amplitude, phase = weights
        return amplitude * jnp.sin(x_NxX[:, 0] + phase)


class FunctionsWrapper(Wrapper, RealFunctions):
    """A class of functions that draws, applies and shows functions as its field `task` does, unless overridden."""

    task: RealFunctions

    @property
    def input_dim(self) -> int:
        return self.task.input_dim

    @property
    def noise(self) -> jax.Array | float:
        return self.task.noise

    @property
    def second_moment(self) -> jax.Array | float:
        return self.task.second_moment

    def inputs(self, key: jax.Array, batch: int, count: int) -> jax.Array:
        return self.task.inputs(key, batch, count)

    def draw(self, key: jax.Array, count: int) -> Weights:
        return self.task.draw(key, count)

    def apply(self, weights: Weights, x_NxX: jax.Array) -> jax.Array:
        return self.task.apply(weights, x_NxX)

    def answers(self, key: jax.Array, value_BxNx1: jax.Array) -> jax.Array:
        return self.task.answers(key, value_BxNx1)
