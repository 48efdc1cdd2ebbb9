"""A retrieval-augmented model that is fitted to a table, without learning in context.

The prediction is W_1 phi(f_q) + W_2 mean(documents), and gradient descent over the training rows sets all weights. The
"training loss of RAG" in [RAG-GD] can be read as the loss of this model, or as that of gradient descent in context on
learned features, which sees no documents (`Embedded(GradientDescent)`).
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.embedded import FeatureMap
from lab.learners.learner import Learner, documents
from tasks.episode import Prompt


class FittedRag(Learner):
    """Answers W_1 phi(f_q) + W_2 mean(documents), with W_1 (A, F) and W_2 (A, W); it ignores the examples of a prompt.

    W_1 starts with entries of variance init_scale / F: at zero, phi would get no gradient in the first step. W_2 starts
    at zero, since no other parameter gets its gradient through it.
    """

    honours_visible = True  # it uses no example at all

    def __init__(
        self,
        layout: TokenLayout,
        features: FeatureMap,
        document_width: int,
        key: jax.Array,
        init_scale: float | jax.Array = 0.02,
    ):
        answer, width = layout.answer_dim, features.outer.out_features
        self.layout, self.features = layout, features
        self.w_1 = nnx.Param(jnp.sqrt(init_scale / width) * jax.random.normal(key, (answer, width)))
        self.w_2 = nnx.Param(jnp.zeros((answer, document_width)))

    def __call__(self, prompt: Prompt) -> jax.Array:
        phi_QxF = self.features(self.layout.features(prompt.query))
        document_1xW = jnp.mean(documents(prompt), axis=0, keepdims=True)
        return phi_QxF @ self.w_1[...].T + document_1xW @ self.w_2[...].T
