"""`rag_linear`: a linear-projection retriever [RAG-GD]. Tokens (x, z, y), y = W_1 x + W_2 z.

z_i holds the embeddings of the k documents retrieved for example i, side by side: z ~ U(-1, 1)^(k * doc_dim).
x ~ U(-alpha, alpha), W_1, W_2 ~ N(0, 1).

>>> import jax
>>> episodes = RagLinear(num_context=4, input_dim=2, num_documents=3).sample(jax.random.key(0), batch=5)
>>> episodes.context.x.shape, episodes.context.z.shape
((5, 4, 2), (5, 4, 3))
"""

import jax
import jax.numpy as jnp

from tasks import parameters
from tasks.draw import normal, uniform
from tasks.episode import Episode, Inputs, split_queries
from tasks.task import Moments, Task, pytree, uniform_moments


@pytree
class RagLinear(parameters.RagLinear, Task):
    @property
    def auxiliary_dim(self) -> int:
        """Z, the width of z."""
        return self.num_documents * self.doc_dim

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim), ("z", self.auxiliary_dim))

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_inputs, key_teacher = jax.random.split(key)
        examples, x, z = self.num_context + self.num_queries, self.input_dim, self.auxiliary_dim
        x_BxNxX, z_BxNxZ = uniform(key_inputs, (batch, examples, x), (batch, examples, z))
        w1_BxYxX, w2_BxYxZ = normal(key_teacher, (batch, self.output_dim, x), (batch, self.output_dim, z))
        x_BxNxX = self.scale * x_BxNxX
        y_BxNxY = jnp.einsum("bnx,byx->bny", x_BxNxX, w1_BxYxX) + jnp.einsum("bnz,byz->bny", z_BxNxZ, w2_BxYxZ)
        return split_queries(Inputs(x_BxNxX, z_BxNxZ), y_BxNxY, self.num_context)

    def moments(self) -> Moments:
        of_x = uniform_moments(self.input_dim, self.scale)
        of_z = uniform_moments(self.auxiliary_dim, 1.0)
        return Moments(*(jnp.concatenate(pair) for pair in zip(of_x, of_z, strict=True)))
