"""When gradient flow leaves the saddle at zero, for linear attention on linear regression (after Zhang et al. 2025,
arXiv 2501.16265).

The layer answers b^T M x with b = mean_n y_n x_n. Inputs have independent coordinates with variances l, teachers are
N(0, I), and c is the diagonal of E[S^2], S the second moment of a prompt's inputs. The population loss is exactly

    L(M) = 1/2 (sum_i l_i - 2 sum_i l_i^2 M_ii + sum_ij c_i l_j M_ij^2).

Near M = 0 its gradient is -diag(l^2), which gives flows in closed form, head by head:

merged, M = sum_h v_h U_h: dv/dt = r u and du/dt = r v, for r = |l^2| and u = <U, l^2> / r. Weights grow as exp(r t), so
    that the plateau lasts some log(1 / scale) / r.
separate, M = sum_h v_h K_h^T Q_h: with s = integral of v, K_i +- Q_i grow as exp(+- l_i^2 s), and dv/dt = sum_i l_i^2
    K_i Q_i. Balanced weights w follow dw/dt = l_1^2 w^2, so that the plateau lasts some 1 / (l_1^2 scale).

Shapes: H heads, R rows of a key matrix, X width of an input.
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root_scalar

from tasks.task import Moments

LEFT = 0.1  # the share of the loss that can be learned, after which the plateau has ended


@dataclasses.dataclass(frozen=True)
class Problem:
    """The moments of which the population loss is made: l and c, (X,) each."""

    variance: np.ndarray
    square: np.ndarray

    @classmethod
    def of(cls, moments: Moments, num_context: int) -> "Problem":
        """Return the problem of a task with independent inputs, for prompts of so many examples."""
        variance, fourth = (np.asarray(each, np.float64) for each in (moments.variance, moments.fourth))
        longest = fourth + variance * (variance.sum() - variance)  # E[x_i^2 |x|^2]
        return cls(variance, variance**2 + (longest - variance**2) / num_context)

    def loss(self, m_XxX):
        """Return the population loss of M, which may be an array of JAX."""
        learned = (self.variance**2 * m_XxX.diagonal()).sum()
        return 0.5 * (self.variance.sum() - 2 * learned + (self.square[:, None] * self.variance[None] * m_XxX**2).sum())

    @property
    def least(self) -> float:
        """The lowest loss of any M."""
        return float(self.loss(np.diag(self.variance / self.square)))

    def level(self, share: float) -> float:
        """Return the loss after this share of what can be learned."""
        return self.variance.sum() / 2 * (1 - share) + self.least * share

    def share(self, loss: float) -> float:
        """Return the share of what can be learned at this loss: the inverse of `level`."""
        return (self.variance.sum() / 2 - loss) / (self.variance.sum() / 2 - self.least)


def merged_exit(problem: Problem, v_H: np.ndarray, u_HxXxX: np.ndarray, share: float = LEFT) -> float:
    """Return the time at which the linearised flow of merged matrices has learned a share of the loss; inf if it never
    has, as its initial weights are too large."""
    drive_XxX = np.diag(problem.variance**2)
    rate = float(np.linalg.norm(drive_XxX))
    along_H = np.einsum("hij,ij->h", u_HxXxX, drive_XxX) / rate
    rest_HxXxX = u_HxXxX - along_H[:, None, None] * drive_XxX / rate

    def left(time: float) -> float:
        cosh, sinh = np.cosh(rate * time), np.sinh(rate * time)
        grown_HxXxX = (along_H * cosh + v_H * sinh)[:, None, None] * drive_XxX / rate + rest_HxXxX
        return problem.loss(np.einsum("h,hij->ij", v_H * cosh + along_H * sinh, grown_HxXxX)) - problem.level(share)

    return _crossing(left, 1 / rate)


def separate_exit(
    problem: Problem, v_H: np.ndarray, k_HxRxX: np.ndarray, q_HxRxX: np.ndarray, share: float = LEFT
) -> float:
    """Return the time at which the linearised flow of separate matrices has learned a share of the loss; inf as in
    `merged_exit`."""
    drive_X = problem.variance**2

    def keys_and_queries(s_H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        growth_Hx1xX = np.exp(np.clip(drive_X * s_H[:, None, None], -300, 300))
        sum_HxRxX, difference_HxRxX = (k_HxRxX + q_HxRxX) * growth_Hx1xX / 2, (k_HxRxX - q_HxRxX) / growth_Hx1xX / 2
        return sum_HxRxX + difference_HxRxX, sum_HxRxX - difference_HxRxX

    def flow(time: float, state: np.ndarray) -> np.ndarray:
        now_H, s_H = np.split(state, 2)
        keys, queries = keys_and_queries(s_H)
        return np.concatenate([np.einsum("hrx,hrx,x->h", keys, queries, drive_X), now_H])

    def left(time: float, state: np.ndarray) -> float:
        now_H, s_H = np.split(state, 2)
        keys, queries = keys_and_queries(s_H)
        return problem.loss(np.einsum("h,hri,hrj->ij", now_H, keys, queries)) - problem.level(share)

    left.terminal, left.direction = True, -1
    slowest = 1e4 / (drive_X.max() * max(np.abs(each).max() for each in (v_H, k_HxRxX, q_HxRxX)))
    start = np.concatenate([v_H, np.zeros_like(v_H)])
    solved = solve_ivp(flow, (0, slowest), start, "DOP853", events=left, rtol=1e-8, atol=1e-12)
    return float(solved.t[-1]) if solved.status else math.inf


def _crossing(left: Callable[[float], float], unit: float) -> float:
    """Return the first time, in steps of `unit`, at which a function falls to 0; inf if it grows instead."""
    if left(0.0) <= 0:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        late = next((time for time in unit * np.arange(1, 1000) if not left(time) > 0), math.inf)
        return root_scalar(left, bracket=(late - unit, late)).root if left(late) <= 0 else math.inf
