"""`drifting`: a linear teacher that drifts, W_t = a W_{t-1} + sqrt((1 - a^2) / d_x) e_t; Bayes' answer is Kalman's.

>>> import jax
>>> task = Drifting(num_context=4, input_dim=2)
>>> prompt = task.sample(jax.random.key(0), batch=3).prompt
>>> prompt.context.x.shape, prompt.answers.shape, jax.vmap(task.optimal)(prompt).shape
((3, 4, 2), (3, 4, 1), (3, 1, 1))
"""

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.changing_teacher import ChangingTeacher, conditioned
from tasks.task import pytree


@pytree
class Drifting(settings.Drifting, ChangingTeacher):
    """W_t ~ N(0, 1 / d_x) at every t. With a = 1 the teacher is fixed, and Bayes' answer is ridge regression's."""

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
