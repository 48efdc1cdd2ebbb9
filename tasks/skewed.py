"""`skewed`: `plain` with inputs of different variances, whose ratio slows gradient descent down and Newton hardly.

>>> import jax, numpy as np
>>> inputs = Skewed(input_dim=3, condition=4.0).sample(jax.random.key(0), batch=2000).prompt.context.x
>>> [f"{variance:.1f}" for variance in 3 * np.var(inputs, axis=(0, 1))]
['1.7', '0.9', '0.4']
"""

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.episode import Inputs
from tasks.plain import Plain
from tasks.synthetic import uniform_moments
from tasks.task import Moments, pytree


@pytree
class Skewed(settings.Skewed, Plain):
    """Inputs x_i ~ U(-alpha s_i, alpha s_i). The s_i^2 fall in equal ratios, by `condition` in all; their mean is 1."""

    def inputs(self, key: jax.Array, batch: int) -> tuple[Inputs, Inputs, None]:
        context, query, _ = super().inputs(key, batch)
        scales_1x1xX = self._scales()[None, None]
        return Inputs(scales_1x1xX * context.x), Inputs(scales_1x1xX * query.x), None

    def moments(self) -> Moments:
        second, fourth = uniform_moments(self.input_dim, self.scale)
        return Moments(second * self._scales() ** 2, fourth * self._scales() ** 4)

    def _scales(self) -> jax.Array:
        """Return s, (d_x,)."""
        variances_X = self.condition ** -jnp.linspace(0, 1, self.input_dim)
        return jnp.sqrt(variances_X / jnp.mean(variances_X))
