"""An in-context learner of a sequence of symbols, on trained vectors: after symbol i comes one near W E_i.

    logits of all symbols = E' (W E_i) + b

Before the context W = W_0, which is trained, so that this is a Markov chain of low rank. What is left of each example,
E'_j - W_0 E_i for j after i, is in-context regression, and `inner` solves it: one step of gradient descent from W_0.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.learners.learner import Learner
from tasks.episode import Inputs, Prompt


class ItemContext(Learner):
    """For prompts whose inputs and answers are one-hot, as `tasks.symbols` makes them.

    inner: answers prompts with inputs (D + 1), the last one a constant, and answers (D). width: D.
    """

    honours_visible = True  # vectors are those of each example alone; `inner` refuses if it cannot

    def __init__(self, symbols: int, width: int, inner: Learner, key: jax.Array, init_scale: float | jax.Array = 1.0):
        keys = jax.random.split(key, 3)
        sizes = ((symbols, width), (symbols, width), (width, width + 1))
        before, after, start = (jax.random.normal(k, size) for k, size in zip(keys, sizes, strict=True))
        scale = jnp.sqrt(init_scale / width)
        self.before, self.after, self.start = (
            nnx.Param(scale * before),
            nnx.Param(scale * after),
            nnx.Param(scale * start),
        )
        self.bias = nnx.Param(jnp.zeros(symbols))
        self.inner = inner

    def __call__(self, prompt: Prompt) -> jax.Array:
        context_NxF, query_QxF = (self._features(inputs.x) for inputs in (prompt.context, prompt.query))
        left_NxD = prompt.answers @ self.after[...] - context_NxF @ self.start[...].T
        moved_QxD = self.inner(prompt.replace(context=Inputs(context_NxF), answers=left_NxD, query=Inputs(query_QxF)))
        return (query_QxF @ self.start[...].T + moved_QxD) @ self.after[...].T + self.bias[...][None]

    def _features(self, one_hot: jax.Array) -> jax.Array:
        vectors = one_hot @ self.before[...]
        return jnp.concatenate([vectors, jnp.ones_like(vectors[:, :1])], axis=-1)
