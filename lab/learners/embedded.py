"""A learner over learned features: an MLP is put before it, and answers from phi(f) instead of f ([RAG-GD] section 4).

phi(f) = f + MLP(f), or MLP(f) alone; MLP(f) = W_2 gelu(W_1 f + b_1) + b_2 (design 2.4, 2.8). Everything that is inside
sees tokens (phi(f), y): the Transformer, its construction, or gradient descent ("trainable RAG").
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.config.choices import Features
from lab.layouts.merged import TokenLayout
from lab.learners.learner import Learner
from tasks.episode import Episode, Inputs


class FeatureMap(nnx.Module):
    """phi, (..., F) -> (..., F)."""

    def __init__(self, kind: Features, width: int, hidden: int, key: jax.Array):
        options = {"rngs": nnx.Rngs(key), "param_dtype": jnp.result_type(float)}
        self.residual = kind is Features.residual
        self.inner, self.outer = nnx.Linear(width, hidden, **options), nnx.Linear(hidden, width, **options)

    def __call__(self, f: jax.Array) -> jax.Array:
        made = self.outer(jax.nn.gelu(self.inner(f)))
        return f + made if self.residual else made


class Embedded(Learner):
    """`inner`, which answers from one input x (F), given phi(f) of the episode's features f as that input."""

    def __init__(self, layout: TokenLayout, features: FeatureMap, inner: Learner):
        self.layout, self.features, self.inner = layout, features, inner

    def readouts(self, episode: Episode) -> jax.Array:
        return self.inner.readouts(self.embedded(episode))

    def embedded(self, episode: Episode) -> Episode:
        """The episode as `inner` sees it, phi(f) in the place of its inputs."""

        def of(inputs: Inputs) -> Inputs:
            return Inputs(self.features(self.layout.features(inputs)))

        return episode.replace(context=of(episode.context), query=of(episode.query))
