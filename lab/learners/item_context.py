"""An in-context learner of a sequence of symbols, on trained vectors: E'_j of the symbol j after i is near W E_i.

    logits of all symbols after i = E' (W E_i) + b

Without a context W = W_0, which is trained, so that the model is a Markov chain of low rank. The residual of each
example, E'_j - W_0 E_i for j after i, is the target of in-context regression, which `inner` solves: for example by one
step of gradient descent, so that in all W takes one step from W_0.
"""

import dataclasses

import jax
import jax.numpy as jnp
from flax import nnx

from lab.learners.learner import Learner
from tasks.episode import Inputs, Prompt


class ItemContext(Learner):
    """Answers prompts whose inputs and answers are one-hot, as `tasks.symbols` makes them.

    inner: answers prompts with inputs (D + 1), the last of which is the constant 1, and answers (D). width: D.
    """

    honours_visible = True  # the vectors of an example depend on it alone; `inner` refuses if it cannot hide examples

    def __init__(self, symbols: int, width: int, inner: Learner, key: jax.Array, init_scale: float | jax.Array = 1.0):
        keys = jax.random.split(key, 3)
        sizes = ((symbols, width), (symbols, width), (width, width + 1))
        normals = [jax.random.normal(k, size) for k, size in zip(keys, sizes, strict=True)]
        scale = jnp.sqrt(init_scale / width)
        # E, E' and W_0
        self.before, self.after, self.start = (nnx.Param(scale * each) for each in normals)
        self.bias = nnx.Param(jnp.zeros(symbols))
        self.inner = inner

    def __call__(self, prompt: Prompt) -> jax.Array:
        context_NxF, query_QxF = (self._features(inputs.x) for inputs in (prompt.context, prompt.query))
        residual_NxD = prompt.answers @ self.after[...] - context_NxF @ self.start[...].T
        inner_prompt = dataclasses.replace(
            prompt, context=Inputs(context_NxF), answers=residual_NxD, query=Inputs(query_QxF)
        )
        change_QxD = self.inner(inner_prompt)
        return (query_QxF @ self.start[...].T + change_QxD) @ self.after[...].T + self.bias[...][None]

    def _features(self, one_hot: jax.Array) -> jax.Array:
        vectors = one_hot @ self.before[...]
        return jnp.concatenate([vectors, jnp.ones_like(vectors[:, :1])], axis=-1)
