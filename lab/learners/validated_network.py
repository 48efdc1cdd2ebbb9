"""The best of several networks that are trained on the examples of a prompt, by validation on the same prompt.

Each learning rate trains a network on three of four examples that a query sees, and the fourth ones say at which rate
and after how many steps the error was smallest. A network that is trained at this rate for so many steps on all
examples answers. Where a query sees fewer than four examples, the first rate and all steps are taken.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp

from lab.layouts.merged import TokenLayout
from lab.learners.learner import Fixed
from lab.learners.prompt_network import PromptNetwork, network, trained

EVERY = 4  # one of so many examples is held out


class ValidatedNetwork(PromptNetwork):
    """Answers each query by a network as `PromptNetwork` trains it, at a rate and for steps that the prompt chooses.

    steps: the most steps. rates: Adam's learning rates.
    """

    def __init__(self, layout: TokenLayout, key: jax.Array, hidden: int, steps: int, rates: Sequence[float]):
        super().__init__(layout, key, hidden, steps, rates[0])
        self.rates_R = Fixed(jnp.asarray(rates, float))

    def answer(self, f_NxF: jax.Array, y_NxY: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        held_out_N = visible_N & (jnp.arange(len(visible_N)) % EVERY == EVERY - 1)

        def errors(rate: jax.Array) -> jax.Array:
            taught_N = visible_N & ~held_out_N
            return trained(self.start, f_NxF, y_NxY, taught_N, held_out_N, rate, self.steps, self.steps)[1]

        rate, count = self.choice(jax.lax.map(errors, self.rates_R[...]), jnp.any(held_out_N))
        weights, _ = trained(self.start, f_NxF, y_NxY, visible_N, held_out_N, rate, self.steps, count)
        return network(weights, f_F[None])[0]

    def choice(self, error_RxT: jax.Array, is_validated: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return the rate and the number of steps with the smallest error on held-out examples.

        Args:
            error_RxT: after each step at each rate.
            is_validated: whether there are held-out examples.
        """
        least_R = jnp.min(error_RxT, axis=1)
        best = jnp.where(is_validated, jnp.argmin(least_R), 0)
        count = jnp.where(is_validated, jnp.argmin(error_RxT[best]) + 1, self.steps)
        return self.rates_R[...][best], count
