"""A class of functions restricted to a pool of M functions, the same in all episodes: task diversity [Rav23].

Function m of the pool depends on (`key`, m) alone, so pools are nested: the functions of a small pool are the first
ones of a large pool. M is traced, so pools of all sizes share one compiled program. The Bayes-optimal answer is known
for any class (dMMSE in [Rav23]): with equally likely functions and Gaussian noise of variance s^2 on the answers,

    answer(x) = sum_m p_m f_m(x),   p = softmax_m( -1/(2 s^2) sum_i (y_i - f_m(x_i))^2 ).
"""

import jax
import jax.numpy as jnp
from flax import struct

from tasks.episode import Prompt, visible_or_all
from tasks.functions.function import Weights
from tasks.functions.real import FunctionsWrapper, RealFunctions


@struct.dataclass
class Pool(FunctionsWrapper):
    """`task` with a pool of M = `size` equally likely functions.

    largest: an upper bound of M that is static; the Bayes-optimal answer computes this many functions, whatever M is.
    """

    task: RealFunctions
    size: jax.Array | float
    key: jax.Array
    largest: int = struct.field(pytree_node=False)

    def functions(self, index_M: jax.Array) -> Weights:
        """Return the functions of the pool with these numbers (M,), along the first axis of every leaf."""

        def one(index: jax.Array) -> Weights:
            return jax.tree.map(lambda leaf: leaf[0], self.task.draw(jax.random.fold_in(self.key, index), 1))

        return jax.vmap(one)(index_M)

    def draw(self, key: jax.Array, count: int) -> Weights:
        size = jnp.asarray(self.size).astype(jnp.int32)
        return self.functions(jax.random.randint(key, (count,), 0, size))

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal answer (Q, 1); NaN without noise, where the formula would divide by zero."""
        functions = self.functions(jnp.arange(self.largest))
        seen_MxN, asked_MxQ = (
            jax.vmap(self.apply, in_axes=(0, None))(functions, inputs.x) for inputs in (prompt.context, prompt.query)
        )
        square_MxN = (seen_MxN - prompt.answers[:, 0][None]) ** 2
        misfit_MxQ = square_MxN @ visible_or_all(prompt).T.astype(square_MxN.dtype)
        log_MxQ = -0.5 * misfit_MxQ / jnp.where(self.noise > 0, self.noise, jnp.nan) ** 2
        in_pool_Mx1 = (jnp.arange(self.largest) < self.size)[:, None]
        weight_MxQ = jax.nn.softmax(jnp.where(in_pool_Mx1, log_MxQ, -jnp.inf), axis=0)
        return jnp.sum(weight_MxQ * asked_MxQ, axis=0)[:, None]
