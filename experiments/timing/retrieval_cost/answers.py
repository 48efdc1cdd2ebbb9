"""The retrieval-augmented models of both tasks on given episodes: their answers are timed without any drawing."""

import dataclasses
from collections.abc import Callable

import jax

from experiments.timing.retrieval_cost.settings import RetrievalCost
from tasks.flat_random import normal
from tasks.rag_dot import retrieved_model
from tasks.settings import RagDot, RagLinear, Regression
from tasks.synthetic import linear
from trainers.timing.clock import compiled

BATCHES = 16  # answered one after the other by one call, so that starting it does not count


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Linear:
    """Models y = W x. w: (B, Y, X), one model per episode. x: (B, M, X), its M examples."""

    w: jax.Array
    x: jax.Array

    def answers(self) -> jax.Array:
        """Return y (B, M, Y)."""
        return linear(self.w, self.x)


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Projection:
    """Models y = W_1 x + W_z z with a linear-projection retriever ([RAG-GD] section 2, with W_z for W_2 W_d).

    w_1: (B, Y, X) and w_z: (B, Y, Z), one model per episode. x: (B, M, X) and z: (B, M, Z), its M examples, each with
    the Z entries of the documents that were retrieved for it.
    """

    w_1: jax.Array
    w_z: jax.Array
    x: jax.Array
    z: jax.Array

    def answers(self) -> jax.Array:
        """Return y (B, M, Y). The documents of every example are projected."""
        return linear(self.w_1, self.x) + linear(self.w_z, self.z)


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class DotProduct:
    """Models y = (W_1 + W_z C M^T) x with a dot-product retriever, C = sum_i d_i d_i^T ([RAG-GD] section 2).

    w_1: (B, Y, X), w_z: (B, Y, X) and m: (B, X, X), one model per episode. x: (B, M, X), its M examples, and
    documents: (B, K, X), which they share.
    """

    w_1: jax.Array
    w_z: jax.Array
    m: jax.Array
    x: jax.Array
    documents: jax.Array

    def answers(self) -> jax.Array:
        """Return y (B, M, Y). The documents enter the weights, once for all examples of an episode."""
        return self.retrieved().answers()

    def retrieved(self) -> Linear:
        """Return the models with the documents in their weights, W = W_1 + W_z C M^T."""
        return Linear(self.w_1 + retrieved_model(self.documents, self.w_z, self.m), self.x)


def projection(task: RagLinear, key: jax.Array, batch: int) -> Projection:
    """Return the models of `batch` episodes with their inputs and documents, all entries N(0, 1)."""
    out, examples, documents = task.output_dim, _examples(task), task.num_documents * task.doc_dim
    shapes = (out, task.input_dim), (out, documents), (examples, task.input_dim), (examples, documents)
    return Projection(*normal(key, *((batch, *shape) for shape in shapes)))


def dot_product(task: RagDot, key: jax.Array, batch: int) -> DotProduct:
    """Return the models of `batch` episodes with their inputs and documents, all entries N(0, 1)."""
    width, model = task.input_dim, (task.output_dim, task.input_dim)
    shapes = model, model, (width, width), (_examples(task), width), (task.num_documents, width)
    return DotProduct(*normal(key, *((batch, *shape) for shape in shapes)))


def _examples(task: Regression) -> int:
    return task.num_context + task.num_queries


def answering(settings: RetrievalCost, task: RagLinear | RagDot, retrieved: bool) -> Callable[[], jax.Array]:
    """Return a call without arguments that answers all examples of `BATCHES` batches of given episodes.

    Args:
        retrieved: whether the documents of a dot product have entered the weights before the call; those of a
            projection, which every example has for itself, cannot.
    """
    keys = jax.random.split(jax.random.key(settings.seed), BATCHES)

    def drawn(key: jax.Array) -> Linear | Projection | DotProduct:
        if isinstance(task, RagLinear):
            return projection(task, key, settings.batch_size)
        models = dot_product(task, key, settings.batch_size)
        return models.retrieved() if retrieved else models

    models = jax.jit(jax.vmap(drawn))(keys)
    program = compiled(lambda models: jax.lax.map(lambda each: each.answers(), models), models)
    return lambda: program(models)
