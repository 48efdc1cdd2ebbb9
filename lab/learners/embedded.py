"""A learner over learned features: an MLP is put before it, and answers from phi(f) instead of f ([RAG-GD] section 4).

phi(f) = f + MLP(f), or MLP(f) alone; MLP(f) = W_2 gelu(W_1 f + b_1) + b_2 (design 2.4, 2.8). Everything that is inside
sees tokens (phi(f), y): the Transformer, its construction, or gradient descent ("trainable RAG").
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.config.choices import Features
from lab.layouts.merged import TokenLayout
from lab.learners.learner import Layered, Learner, Trace, readouts
from tasks.episode import Inputs, Prompt


class FeatureMap(nnx.Module):
    """phi, (..., F) -> (..., count): as many features as there are inputs, F, unless `count` says otherwise."""

    def __init__(self, kind: Features, width: int, hidden: int, key: jax.Array, count: int | None = None):
        options = {"rngs": nnx.Rngs(key), "param_dtype": jnp.result_type(float)}
        self.residual = kind is Features.residual
        self.inner, self.outer = nnx.Linear(width, hidden, **options), nnx.Linear(hidden, count or width, **options)

    def __call__(self, f: jax.Array) -> jax.Array:
        mlp = self.outer(jax.nn.gelu(self.inner(f)))
        return f + mlp if self.residual else mlp


class Embedded(Layered):
    """`inner`, which answers from one input x (F), given phi(f) of the prompt's features f as that input."""

    honours_visible = True  # features are those of each example alone; `inner` refuses if it cannot

    def __init__(self, layout: TokenLayout, features: FeatureMap, inner: Learner):
        self.layout, self.features, self.inner = layout, features, inner

    def readouts(self, prompt: Prompt) -> jax.Array:
        return readouts(self.inner, self.embedded(prompt))

    def batch(self, prompts: Prompt) -> jax.Array:
        return self.inner.batch(jax.vmap(self.embedded)(prompts))

    def trace(self, prompt: Prompt) -> Trace:
        return self.inner.trace(self.embedded(prompt))

    def embedded(self, prompt: Prompt) -> Prompt:
        """The prompt as `inner` sees it, phi(f) in the place of its inputs."""

        def embed(inputs: Inputs) -> Inputs:
            return Inputs(self.features(self.layout.features(inputs)))

        return prompt.replace(context=embed(prompt.context), query=embed(prompt.query))
