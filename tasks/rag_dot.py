"""`rag_dot`: a dot-product retriever [RAG-GD]. Tokens are (x, x, y) with y = W_q x + W_z C M^T x, C = sum_i d_i d_i^T.

The k documents d_i ~ U(-1/2, 1/2)^(d_x) belong to the whole episode. W_q ~ N(0, 1) and W_z, M ~ N(0, sigma^2). The
retriever (W_z, M) is drawn for each episode, or with `shared` once for all episodes: then it can be learned, and the
documents carry information. x ~ U(-alpha, alpha).

>>> import jax
>>> episodes = RagDot(num_context=4, input_dim=2, num_documents=3).sample(jax.random.key(0), batch=5)
>>> episodes.prompt.context.x.shape, episodes.prompt.documents.shape
((5, 4, 2), (5, 3, 2))
"""

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.episode import Inputs, Prompt
from tasks.flat_random import normal, uniform
from tasks.regression import minimum_norm
from tasks.synthetic import Synthetic, Teacher, linear, uniform_moments
from tasks.task import Moments, pytree

DOCUMENT_HALF_WIDTH = 0.5


def retrieved_model(documents: jax.Array, w_z: jax.Array, m: jax.Array) -> jax.Array:
    """Return the linear model W_0(D) = W_z C M^T (..., Y, X) that an episode's documents contribute to its teacher.

    Args:
        documents: (..., K, W), w_z: (..., Y, W), m: (..., X, W).
    """
    # Multiplied from the left: W_z D^T has only Y rows, which is cheaper than products of full matrices.
    scores = jnp.einsum("...yw,...kw->...yk", w_z, documents)
    return jnp.einsum("...yw,...xw->...yx", jnp.einsum("...yk,...kw->...yw", scores, documents), m)


@pytree
class RagDot(settings.RagDot, Synthetic):
    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim), ("x", self.input_dim))

    @property
    def document_width(self) -> int:
        return self.input_dim

    def retriever(self, key: jax.Array, batch: int) -> tuple[jax.Array, jax.Array]:
        """Return W_z (B, Y, X) and M (B, X, X), drawn for each episode, or with `shared` the same ones for every
        key."""
        if self.shared:
            w_z, m = self._draw_retriever(jax.random.key(self.shared_seed), 1)
            return jnp.broadcast_to(w_z, (batch, *w_z.shape[1:])), jnp.broadcast_to(m, (batch, *m.shape[1:]))
        return self._draw_retriever(key, batch)

    def _draw_retriever(self, key: jax.Array, batch: int) -> tuple[jax.Array, jax.Array]:
        x = self.input_dim
        w_z, m = normal(key, (batch, self.output_dim, x), (batch, x, x))
        return self.sigma * w_z, self.sigma * m

    def inputs(self, key: jax.Array, batch: int) -> tuple[Inputs, Inputs, jax.Array]:
        counts = (self.num_context, self.num_queries, self.num_documents)
        context, query, documents = uniform(key, *((batch, count, self.input_dim) for count in counts))
        return Inputs(self.scale * context), Inputs(self.scale * query), DOCUMENT_HALF_WIDTH * documents

    def teacher(self, key: jax.Array, batch: int, documents: jax.Array) -> Teacher:
        key_teacher, key_retriever = jax.random.split(key)
        (w_q_BxYxX,) = normal(key_teacher, (batch, self.output_dim, self.input_dim))
        w_BxYxX = w_q_BxYxX + retrieved_model(documents, *self.retriever(key_retriever, batch))
        return lambda inputs: linear(w_BxYxX, inputs.x)

    def shared_retriever(self) -> tuple[jax.Array, jax.Array] | None:
        if not self.shared:
            return None
        w_z, m = self.retriever(jax.random.key(self.shared_seed), 1)
        return w_z[0], m[0]

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal answer (Q, Y) given a shared retriever, with which y - W_0(D) x is the task `plain`.

        Raises:
            NotImplementedError: the retriever is drawn for each episode.
        """
        retriever = self.shared_retriever()
        if retriever is None or prompt.documents is None:
            raise NotImplementedError
        w_0_YxX = retrieved_model(prompt.documents, *retriever)
        context, query = prompt.context.x, prompt.query.x
        residuals_NxY = prompt.answers - context @ w_0_YxX.T
        return query @ w_0_YxX.T + minimum_norm(context, residuals_NxY, query, prompt.visible)

    def moments(self) -> Moments:
        """Return the moments, where the mean squared entry of the teacher is 1 + E[(W_z C M^T)_yx^2].

        With A = W_z^T W_z, and s and m_4 the second and fourth moment of a document's entry, E[C A C] =
        k E[d d^T A d d^T] + k (k - 1) s^2 A. For symmetric independent coordinates E[d d^T A d d^T] is 2 s^2 A_ij off
        its diagonal and m_4 A_ii + s^2 (tr A - A_ii) on it. If the retriever is drawn for each episode, A and M^T M
        are replaced by their means.
        """
        s, fourth = (m[0] for m in uniform_moments(1, DOCUMENT_HALF_WIDTH))
        k, x = self.num_documents, self.input_dim
        if retriever := self.shared_retriever():
            w_z, m = retriever
            a_XxX, gram_XxX = w_z.T @ w_z, m.T @ m
        else:
            a_XxX = self.sigma**2 * self.output_dim * jnp.eye(x)
            gram_XxX = self.sigma**2 * x * jnp.eye(x)
        diagonal = jnp.diag(a_XxX)
        ddadd_XxX = 2 * s**2 * (a_XxX - jnp.diag(diagonal)) + jnp.diag(
            fourth * diagonal + s**2 * (jnp.sum(diagonal) - diagonal)
        )
        cac_XxX = k * ddadd_XxX + k * (k - 1) * s**2 * a_XxX
        retrieved = jnp.sum(cac_XxX * gram_XxX) / (x * self.output_dim)
        return Moments(*uniform_moments(x, self.scale), teacher=1.0 + retrieved, copies=2)
