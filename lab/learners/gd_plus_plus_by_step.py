"""GD++ with a pair of rates of its own for every step ([VO23] section 3, on layers with weights of their own).

What a step does to the inputs shrinks them, so that the best rates grow from step to step by orders of magnitude. Their
logarithms are of one size, and so they are what is trained.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.gd_plus_plus import GDPlusPlus


class GDPlusPlusByStep(GDPlusPlus):
    """GD++ of rates eta_k = unit exp(a_k) and gamma_k = unit sinh(b_k), with a_k and b_k trained from 0.

    gamma may have either sign; a small b_k changes it as much as a rate that is a parameter itself.
    """

    def __init__(
        self,
        layout: TokenLayout,
        unit: float | jax.Array,
        steps: int,
        clip: float | None = None,
        initial_model: jax.Array | None = None,
    ):
        super().__init__(layout, unit, steps, clip, initial_model)
        self.relative_eta = nnx.Param(jnp.zeros(steps))  # a
        self.relative_gamma: nnx.Variable = nnx.Param(jnp.zeros(steps))  # b

    def rates(self) -> tuple[jax.Array, jax.Array]:
        """Return eta and gamma of every step, (steps,) each."""
        unit = self.unit[...]
        return unit * jnp.exp(self.relative_eta[...]), unit * jnp.sinh(self.relative_gamma[...])
