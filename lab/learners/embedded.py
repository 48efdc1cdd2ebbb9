"""A learner over learned features: an MLP in front of it, so that it answers from phi(f) instead of f.

([RAG-GD] section 4.) phi(f) = f + MLP(f), or MLP(f) alone; MLP(f) = W_2 gelu(W_1 f + b_1) + b_2. The
learner behind it sees tokens (phi(f), y): the Transformer, its construction, or gradient descent ("trainable RAG").
"""

import dataclasses

import jax
import jax.numpy as jnp
from flax import nnx

from lab.config.choices import Features
from lab.layouts.merged import TokenLayout
from lab.learners.learner import Layered, Learner, Trace, readouts, traced
from tasks.episode import Inputs, Prompt


class FeatureMap(nnx.Module):
    """The map phi from F inputs (..., F) to learned features (..., count); `count` None stands for F."""

    def __init__(self, kind: Features, width: int, hidden: int, key: jax.Array, count: int | None = None):
        options = {"rngs": nnx.Rngs(key), "param_dtype": jnp.result_type(float)}
        self.residual = kind is Features.residual
        self.inner, self.outer = nnx.Linear(width, hidden, **options), nnx.Linear(hidden, count or width, **options)

    def __call__(self, f: jax.Array) -> jax.Array:
        mlp = self.outer(jax.nn.gelu(self.inner(f)))
        return f + mlp if self.residual else mlp


class Embedded(Layered):
    """The learner `inner`, which answers from a single input x (F), given phi(f) of the prompt's features f as x."""

    honours_visible = True  # the features of an example depend on it alone; `inner` refuses if it cannot hide examples

    def __init__(self, layout: TokenLayout, features: FeatureMap, inner: Learner):
        self.layout, self.features, self.inner = layout, features, inner

    def readouts(self, prompt: Prompt) -> jax.Array:
        return readouts(self.inner, self.embedded(prompt))

    def batch(self, prompts: Prompt) -> jax.Array:
        return self.inner.batch(jax.vmap(self.embedded)(prompts))

    def trace(self, prompt: Prompt) -> Trace:
        return traced(self.inner, self.embedded(prompt))

    def embedded(self, prompt: Prompt) -> Prompt:
        """Return the prompt as `inner` sees it, with phi(f) in place of its inputs."""

        def embed(inputs: Inputs) -> Inputs:
            return Inputs(self.features(self.layout.features(inputs)))

        return dataclasses.replace(prompt, context=embed(prompt.context), query=embed(prompt.query))
