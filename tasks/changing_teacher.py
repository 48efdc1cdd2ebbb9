"""Linear teachers that change in the course of a context: y_t = W_t x_t + noise, W_t ~ N(0, 1 / d_x).

x_i ~ N(0, c / i^p) with a mean variance of 1, so that E y^2 = 1 without noise; p = 0 is x ~ N(0, I).

The queries' teacher is the next one, W_{N+1}, and their targets have no noise.
"""

import abc

import jax
import jax.numpy as jnp

from tasks.episode import Episode, Inputs, Prompt, visible_or_all
from tasks.flat_random import normal
from tasks.regression import Regression


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
