"""Linear teachers that change in the course of a context: y_t = W_t x_t + noise, W_t ~ N(0, 1 / d_x).

x_i ~ N(0, c / i^p) with a mean variance of 1, so that E y^2 = 1 without noise; p = 0 is x ~ N(0, I).

The queries' teacher is the next one, W_{N+1}, and their targets have no noise.
"""

import abc

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.episode import Episode, Inputs, Prompt, visible_or_all
from tasks.flat_random import normal
from tasks.regression import Regression
from tasks.task import pytree


class ChangingTeacher(Regression):
    """Base class of tasks that define `teachers` and `filtered`, with the settings of `tasks.settings`."""

    num_queries: int
    input_dim: int
    output_dim: int
    noise: float
    skew: float

    @property
    def answer_dim(self) -> int:
        return self.output_dim

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim),)

    @abc.abstractmethod
    def teachers(self, key: jax.Array, w_TxBxYxX: jax.Array) -> jax.Array:
        """Return W_1 to W_{N+1} of each episode (T, B, Y, X), made of independent N(0, 1 / d_x) draws."""

    @abc.abstractmethod
    def filtered(self, x_NxX: jax.Array, y_NxY: jax.Array, visible_N: jax.Array) -> jax.Array:
        """Return the mean of W_{N+1} (Y, X) given the visible examples."""

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_normals, key_change = jax.random.split(key)
        count, width, outputs = self.num_context, self.input_dim, self.output_dim
        x_BxNxX, noise_BxNxY, query_BxQxX, w_TxBxYxX = normal(
            key_normals, (batch, count, width), (batch, count, outputs), (batch, self.num_queries, width),
            (count + 1, batch, outputs, width),
        )  # fmt: skip
        scales_1x1xX = self.scales()[None, None]
        x_BxNxX, query_BxQxX = scales_1x1xX * x_BxNxX, scales_1x1xX * query_BxQxX
        w_TxBxYxX = self.teachers(key_change, w_TxBxYxX / jnp.sqrt(width))
        answers_BxNxY = jnp.einsum("nbyx,bnx->bny", w_TxBxYxX[:-1], x_BxNxX) + self.noise * noise_BxNxY
        target_BxQxY = jnp.einsum("byx,bqx->bqy", w_TxBxYxX[-1], query_BxQxX)
        return Episode(Prompt(Inputs(x_BxNxX), answers_BxNxY, Inputs(query_BxQxX)), target_BxQxY)

    def scales(self) -> jax.Array:
        """Return the standard deviations of the inputs, (X,)."""
        variances_X = (1.0 + jnp.arange(self.input_dim)) ** -self.skew
        return jnp.sqrt(variances_X / jnp.mean(variances_X))

    def optimal(self, prompt: Prompt) -> jax.Array:
        if prompt.visible is None:
            w_YxX = self.filtered(prompt.context.x, prompt.answers, jnp.ones(len(prompt.answers), bool))
            return prompt.query.x @ w_YxX.T
        w_QxYxX = jax.vmap(self.filtered, (None, None, 0))(prompt.context.x, prompt.answers, visible_or_all(prompt))
        return jnp.einsum("qyx,qx->qy", w_QxYxX, prompt.query.x)


def conditioned(
    mean_YxX: jax.Array, variance_XxX: jax.Array, x_X: jax.Array, y_Y: jax.Array, noise: jax.Array | float
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return mean and covariance of W, whose rows are independent and have one covariance, given y = W x + noise.

    The third result is the logarithm of the density of y, but for a constant.
    """
    covariance_X, error_Y = variance_XxX @ x_X, y_Y - mean_YxX @ x_X
    total = x_X @ covariance_X + noise**2
    density = -0.5 * (len(y_Y) * jnp.log(total) + jnp.sum(error_Y**2) / total)
    mean_YxX = mean_YxX + error_Y[:, None] * covariance_X[None] / total
    return mean_YxX, variance_XxX - covariance_X[:, None] * covariance_X[None] / total, density


@pytree
class Drifting(settings.Drifting, ChangingTeacher):
    """`drifting`: a teacher that drifts, W_t = a W_{t-1} + sqrt((1 - a^2) / d_x) e_t; Bayes' answer is Kalman's.

    W_t ~ N(0, 1 / d_x) at every t. With a = 1 the teacher is fixed, and Bayes' answer is ridge regression's.

    >>> import jax
    >>> task = Drifting(num_context=4, input_dim=2)
    >>> prompt = task.sample(jax.random.key(0), batch=3).prompt
    >>> prompt.context.x.shape, prompt.answers.shape, jax.vmap(task.optimal)(prompt).shape
    ((3, 4, 2), (3, 4, 1), (3, 1, 1))
    """

    def teachers(self, key: jax.Array, w_TxBxYxX: jax.Array) -> jax.Array:
        def step(w_BxYxX: jax.Array, new_BxYxX: jax.Array):
            w_BxYxX = self.persistence * w_BxYxX + jnp.sqrt(1 - self.persistence**2) * new_BxYxX
            return w_BxYxX, w_BxYxX

        first, later = w_TxBxYxX[0], w_TxBxYxX[1:]
        return jnp.concatenate([first[None], jax.lax.scan(step, first, later)[1]])

    def filtered(self, x_NxX: jax.Array, y_NxY: jax.Array, visible_N: jax.Array) -> jax.Array:
        """Return the mean of W_{N+1} (Y, X) by the Kalman filter."""
        prior_XxX, square = jnp.eye(self.input_dim) / self.input_dim, self.persistence**2

        def step(carry: tuple[jax.Array, jax.Array], example: tuple[jax.Array, jax.Array, jax.Array]):
            x_X, y_Y, visible = example
            given_example = conditioned(*carry, x_X, y_Y, self.noise)
            mean, variance = (jnp.where(visible, a, b) for a, b in zip(given_example, carry, strict=False))
            return (self.persistence * mean, square * variance + (1 - square) * prior_XxX), None

        start = jnp.zeros((self.output_dim, self.input_dim)), prior_XxX
        return jax.lax.scan(step, start, (x_NxX, y_NxY, visible_N))[0][0]


@pytree
class Switching(settings.Switching, ChangingTeacher):
    """`switching`: a teacher that is drawn anew after an example with probability p, also before the queries.

    Bayes' answer mixes the ridge solutions of all times since when the teacher may hold, by their run-length posterior
    (Adams and MacKay 2007).

    >>> import jax
    >>> task = Switching(num_context=4, input_dim=2)
    >>> task.optimal(jax.tree.map(lambda leaf: leaf[0], task.sample(jax.random.key(0), batch=3).prompt)).shape
    (1, 1)
    """

    def teachers(self, key: jax.Array, w_TxBxYxX: jax.Array) -> jax.Array:
        def step(w_BxYxX: jax.Array, one: tuple[jax.Array, jax.Array]):
            new_BxYxX, changes_B = one
            w_BxYxX = jnp.where(changes_B[:, None, None], new_BxYxX, w_BxYxX)
            return w_BxYxX, w_BxYxX

        first, later = w_TxBxYxX[0], w_TxBxYxX[1:]
        changes_NxB = jax.random.bernoulli(key, self.change, later.shape[:2])
        return jnp.concatenate([first[None], jax.lax.scan(step, first, (later, changes_NxB))[1]])

    def filtered(self, x_NxX: jax.Array, y_NxY: jax.Array, visible_N: jax.Array) -> jax.Array:
        """Return the mean of W_{N+1} (Y, X). Hypothesis s of S = N + 1: the last change came before token s."""
        count, width = x_NxX.shape
        place_S = jnp.arange(count + 1)
        prior_XxX = jnp.eye(width) / width
        start = (
            jnp.zeros((count + 1, self.output_dim, width)),
            jnp.broadcast_to(prior_XxX, (count + 1, width, width)),
            jnp.where(place_S == 0, 0.0, -jnp.inf),
        )

        def step(carry: tuple[jax.Array, jax.Array, jax.Array], one: tuple[jax.Array, ...]):
            mean_SxYxX, variance_SxXxX, log_S = carry
            x_X, y_Y, visible, t = one
            each = jax.vmap(conditioned, (0, 0, None, None, None))(mean_SxYxX, variance_SxXxX, x_X, y_Y, self.noise)
            learns_S = (place_S <= t) & visible
            log_S = log_S + jnp.where(learns_S, each[2], 0.0)
            mean, variance = (
                jnp.where(learns_S[:, None, None], a, b) for a, b in zip(each, carry, strict=False) if a.ndim == 3
            )
            changed = jax.nn.logsumexp(log_S) + jnp.log(self.change)
            return (mean, variance, jnp.where(place_S == t + 1, changed, log_S + jnp.log1p(-self.change))), None

        examples = x_NxX, y_NxY, visible_N, jnp.arange(count)
        (mean_SxYxX, _, log_S), _ = jax.lax.scan(step, start, examples)
        return jnp.einsum("s,syx->yx", jax.nn.softmax(log_S), mean_SxYxX)
