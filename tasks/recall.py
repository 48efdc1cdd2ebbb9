"""`recall`: keys that come back with other values; a query asks for the last value of its key.

Keys are orthogonal and of length 1: unit vectors, reflected in a random direction of each episode.

>>> import jax
>>> task = Recall(num_context=4, num_keys=2)
>>> prompt = task.sample(jax.random.key(0), batch=3).prompt
>>> prompt.context.x.shape, prompt.answers.shape, jax.vmap(task.optimal)(prompt).shape
((3, 4, 8), (3, 4, 1), (3, 1, 1))
"""

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.episode import Episode, Inputs, Prompt, visible_or_all
from tasks.flat_random import normal
from tasks.regression import Regression
from tasks.task import pytree


@pytree
class Recall(settings.Recall, Regression):
    """Every example shows one of the keys, each equally likely, with a new value; a query the key of a random one."""

    @property
    def answer_dim(self) -> int:
        return self.output_dim

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim),)

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_normals, key_place, key_query = jax.random.split(key, 3)
        count, width = self.num_context, self.input_dim
        values_BxNxY, direction_BxX = normal(key_normals, (batch, count, self.output_dim), (batch, width))
        place_BxN = jax.random.randint(key_place, (batch, count), 0, self.num_keys)
        direction_BxX = direction_BxX / jnp.linalg.norm(direction_BxX, axis=1, keepdims=True)
        reflection_BxXxX = jnp.eye(width)[None] - 2 * direction_BxX[:, :, None] * direction_BxX[:, None]
        x_BxNxX = jnp.take_along_axis(reflection_BxXxX, place_BxN[:, :, None], axis=1)
        example_BxQ = jax.random.randint(key_query, (batch, self.num_queries), 0, count)
        query_BxQxX = jnp.take_along_axis(x_BxNxX, example_BxQ[:, :, None], axis=1)
        prompt = Prompt(Inputs(x_BxNxX), values_BxNxY, Inputs(query_BxQxX))
        return Episode(prompt, jax.vmap(self.optimal)(prompt))

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the last value of each query's key among the examples that it sees, 0 if none shows it, (Q, Y)."""
        matches_QxN = (prompt.query.x @ prompt.context.x.T > 0.5) & visible_or_all(prompt)
        last_Q = len(prompt.answers) - 1 - jnp.argmax(matches_QxN[:, ::-1], axis=1)
        return jnp.where(jnp.any(matches_QxN, axis=1)[:, None], prompt.answers[last_Q], 0.0)
