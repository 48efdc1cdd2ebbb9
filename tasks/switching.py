"""`switching`: a linear teacher that is drawn anew after an example with probability p. Bayes' answer mixes the ridge
solutions of all times since when it may hold, by their run-length posterior (Adams and MacKay 2007).

>>> import jax
>>> task = Switching(num_context=4, input_dim=2)
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
class Switching(settings.Switching, ChangingTeacher):
    """The change may also fall between the last example and the queries."""

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
