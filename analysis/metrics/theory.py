"""The lowest loss that one step of gradient descent can reach, in closed form.

With independent symmetric features of variances s_i and fourth moments m_i, Sigma = diag(s), C = F^T F / N and a
teacher with isotropic rows of mean squared entry t, the loss of one step of rate eta from zero is, for d_y outputs,

    1/2 t d_y E tr((I - eta C) Sigma (I - eta C)) = 1/2 t d_y [tr Sigma - 2 eta tr Sigma^2 + eta^2 tr(Sigma E C^2)],
    E C^2 = E[||f||^2 f f^T] / N + (1 - 1/N) Sigma^2,   E[||f||^2 f_i^2] = m_i + s_i (tr Sigma - s_i).

It is also the optimum of one linear self-attention layer when the features are isotropic [Ahn23, Mah23]. A step with
a preconditioner has eta P in place of eta; as E C^2 is diagonal, with entries d_i, the best eta P is diag(s_i / d_i)
[Ahn23, theorem 1, for Gaussian features], and its loss 1/2 t d_y sum_i (s_i - s_i^3 / d_i).
"""

import jax
from flax import struct

from tasks.regression import has_squared_error
from tasks.task import Task


@struct.dataclass
class Oracle:
    """The best rate of one step from zero, and the loss that it gives; each (), or (P,) of a population."""

    eta: jax.Array | float
    loss: jax.Array | float


@struct.dataclass
class Preconditioned:
    """The best preconditioner of one step from zero, and the loss that it gives.

    diagonal: (F,) of the distinct features; the other entries are 0. loss: ().
    """

    diagonal: jax.Array
    loss: jax.Array | float


def has_oracle(task: Task) -> bool:
    """Return whether the task's loss is squared error and its moments are known in closed form."""
    if not has_squared_error(task):
        return False
    try:
        jax.eval_shape(task.moments)  # computed one operation at a time they take a second of compiling
    except NotImplementedError:
        return False
    return True


def one_step(task: Task) -> Oracle:
    """Return the best rate of one step from zero, eta*, and the loss of that step, loss*.

    Features that are shown `copies` times multiply a step's effect by that number: eta* is divided by it, and loss*
    stays.
    """
    moments = task.moments()
    s, d = moments.variance, _mean_square(task)
    first, second = (s**2).sum(), (s * d).sum()
    loss = 0.5 * moments.teacher * task.answer_dim * (s.sum() - first**2 / second)
    return Oracle(eta=first / second / moments.copies, loss=loss)


def preconditioned_step(task: Task) -> Preconditioned:
    """Return the best preconditioner of one step from zero, and its loss, for features that are shown once."""
    moments = task.moments()
    s, d = moments.variance, _mean_square(task)
    return Preconditioned(s / d, 0.5 * moments.teacher * task.answer_dim * (s - s**3 / d).sum())


def _mean_square(task: Task) -> jax.Array:
    """Return the diagonal of E C^2, (F,)."""
    moments, n = task.moments(), task.num_context
    s = moments.variance
    return (moments.fourth + s * (s.sum() - s)) / n + (1 - 1 / n) * s**2
