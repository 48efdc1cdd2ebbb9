"""GD++ with a pair of rates of its own for every step ([VO23] section 3, on layers with weights of their own).

What a step does to the inputs shrinks them, so that the best rates grow from step to step by orders of magnitude. Their
logarithms are of one size, and so they are what is trained.
"""

import jax
import jax.numpy as jnp

from lab.learners.gd_plus_plus import GDPlusPlus


class GDPlusPlusByStep(GDPlusPlus):
    """GD++ of rates eta_k = unit exp(a_k) and gamma_k = unit sinh(b_k), with a_k and b_k trained from 0.

    `relative_eta` holds a, `relative_gamma` holds b. gamma may have either sign, and near 0 it changes as b does.
    """

    def start(self) -> tuple[jax.Array, jax.Array]:
        """Return a and b before training, (steps,) each."""
        return jnp.zeros(self.steps), jnp.zeros(self.steps)

    def rates(self) -> tuple[jax.Array, jax.Array]:
        """Return eta and gamma of every step, (steps,) each."""
        unit = self.unit[...]
        return unit * jnp.exp(self.relative_eta[...]), unit * jnp.sinh(self.relative_gamma[...])
