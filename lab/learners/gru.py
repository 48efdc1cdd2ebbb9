"""A recurrent network that reads a sequence of symbols, of gated recurrent units (Cho et al. 2014) as in GRU4Rec.

    r = sigmoid(W_r x + U_r h + b_r),   z = sigmoid(W_z x + U_z h + b_z),   n = tanh(W_n x + b_n + r (U_n h + c)),
    h <- (1 - z) n + z h,   answer = W_o h

where x is the trained vector of the symbol that query t shows, and h = 0 before the first symbol.
"""

import functools

import jax
import jax.numpy as jnp
from flax import nnx

from lab.learners import initial
from lab.learners.learner import Learner
from lab.learners.sequence import in_order
from tasks.episode import Prompt


class Gru(Learner):
    """Answers prompts as `tasks.symbols` makes them; a query that does not see exactly the examples before it gets NaN.

    symbols: C, the number of symbols. width: D, of x and h. Weights have variance init_scale / D.
    """

    honours_visible = True

    def __init__(self, symbols: int, width: int, key: jax.Array, init_scale: float | jax.Array = 1.0):
        keys = jax.random.split(key, 4)
        weights = functools.partial(initial.normal, init_scale=init_scale, fan_in=width)
        self.table = nnx.Param(jax.random.normal(keys[0], (symbols, width)))
        self.w_in, self.w_state = weights(keys[1], 3 * width, width), weights(keys[2], 3 * width, width)
        self.b_in, self.b_state = nnx.Param(jnp.zeros(3 * width)), nnx.Param(jnp.zeros(3 * width))
        self.w_answer = weights(keys[3], symbols, width)

    def __call__(self, prompt: Prompt) -> jax.Array:
        x_QxD = prompt.query.x @ self.table[...]
        inputs_Qx3D = x_QxD @ self.w_in[...].T + self.b_in[...][None]

        def step(h_D, inputs_3D):
            reset, update, new = jnp.split(inputs_3D, 3)
            reset_h, update_h, new_h = jnp.split(self.w_state[...] @ h_D + self.b_state[...], 3)
            z_D = jax.nn.sigmoid(update + update_h)
            n_D = jnp.tanh(new + jax.nn.sigmoid(reset + reset_h) * new_h)
            h_D = (1 - z_D) * n_D + z_D * h_D
            return h_D, h_D

        _, states_QxD = jax.lax.scan(step, jnp.zeros(x_QxD.shape[1], x_QxD.dtype), inputs_Qx3D)
        return jnp.where(in_order(prompt)[:, None], states_QxD @ self.w_answer[...].T, jnp.nan)
