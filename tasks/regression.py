"""Regression: answers and targets are vectors of real numbers, and the loss is 1/2 squared error."""

import jax
import jax.numpy as jnp

from tasks.task import Task


class Regression(Task):
    """A task whose loss is 1/2 ||answer - target||^2, summed over the outputs, from (Q, Y) and (Q, Y) to (Q,)."""

    def loss(self, answer_QxY: jax.Array, target_QxY: jax.Array) -> jax.Array:
        return 0.5 * jnp.sum((answer_QxY - target_QxY) ** 2, axis=-1)


def has_squared_error(task: Task) -> bool:
    """Return whether the loss of a task is 1/2 squared error, and no loss of its own that a subclass defines."""
    return type(task.scoring).loss is Regression.loss


def minimum_norm(f_NxF: jax.Array, y_NxY: jax.Array, f_QxF: jax.Array, visible_QxN: jax.Array | None) -> jax.Array:
    """Return the Bayes-optimal answer (Q, Y) to a noise-free linear teacher with independent N(0, 1) entries.

    Given W F^T = Y^T, the posterior of W is a Gaussian on an affine subspace, and its mean is the subspace's point of
    smallest norm, whatever the distribution of the inputs. An example that a query does not see is replaced by
    f = y = 0, which constrains nothing.

    Args:
        f_NxF, y_NxY: features and targets of the examples. f_QxF: features of the queries.
        visible_QxN: the examples that each query sees; None means all.
    """
    if visible_QxN is None:
        return f_QxF @ jnp.linalg.lstsq(f_NxF, y_NxY)[0]

    def one_query(f_F: jax.Array, visible_N: jax.Array) -> jax.Array:
        seen_Nx1 = visible_N[:, None]
        return f_F @ jnp.linalg.lstsq(jnp.where(seen_Nx1, f_NxF, 0.0), jnp.where(seen_Nx1, y_NxY, 0.0))[0]

    return jax.vmap(one_query)(f_QxF, visible_QxN)
