"""`rag_linear`: a linear-projection retriever [RAG-GD]. Tokens are (x, z, y) with y = W_1 x + W_2 z.

z_i holds the embeddings of the k documents retrieved for example i, side by side: z ~ U(-1, 1)^(k * doc_dim).
x ~ U(-alpha, alpha) and W_1, W_2 ~ N(0, 1).

>>> import jax
>>> episodes = RagLinear(num_context=4, input_dim=2, num_documents=3).sample(jax.random.key(0), batch=5)
>>> episodes.prompt.context.x.shape, episodes.prompt.context.z.shape
((5, 4, 2), (5, 4, 3))
"""

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.episode import Inputs, Prompt
from tasks.flat_random import normal, uniform
from tasks.regression import minimum_norm
from tasks.synthetic import Synthetic, Teacher, linear, uniform_moments
from tasks.task import Moments, pytree


@pytree
class RagLinear(settings.RagLinear, Synthetic):
    @property
    def auxiliary_dim(self) -> int:
        """Return Z, the width of z."""
        return self.num_documents * self.doc_dim

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim), ("z", self.auxiliary_dim))

    def inputs(self, key: jax.Array, batch: int) -> tuple[Inputs, Inputs, None]:
        counts, widths = (self.num_context, self.num_queries), (self.input_dim, self.auxiliary_dim)
        x, z, x_query, z_query = uniform(key, *((batch, count, width) for count in counts for width in widths))
        return Inputs(self.scale * x, z), Inputs(self.scale * x_query, z_query), None

    def teacher(self, key: jax.Array, batch: int, documents: None) -> Teacher:
        out = self.output_dim
        w1_BxYxX, w2_BxYxZ = normal(key, (batch, out, self.input_dim), (batch, out, self.auxiliary_dim))
        return lambda inputs: linear(w1_BxYxX, inputs.x) + linear(w2_BxYxZ, _documents(inputs))

    def optimal(self, prompt: Prompt) -> jax.Array:
        context, query = (
            jnp.concatenate([inputs.x, _documents(inputs)], axis=-1) for inputs in (prompt.context, prompt.query)
        )
        return minimum_norm(context, prompt.answers, query, prompt.visible)

    def moments(self) -> Moments:
        moments_x = uniform_moments(self.input_dim, self.scale)
        moments_z = uniform_moments(self.auxiliary_dim, 1.0)
        variance, fourth = (jnp.concatenate(pair) for pair in zip(moments_x, moments_z, strict=True))
        return Moments(variance, fourth)


def _documents(inputs: Inputs) -> jax.Array:
    """Return z (..., Z), which all inputs of this task have."""
    if inputs.z is None:
        raise ValueError("inputs of rag_linear have documents z")
    return inputs.z
