"""Online learners that take one step per example, each with a decay of W, and ridge regression, which solves once; with
the fast-weight layer of each (`lab.attention.fast_weights`).
"""

import jax
import jax.numpy as jnp

from lab.attention.fast_weights.preconditioned import SMALL
from lab.attention.fast_weights.rule import Tokens
from lab.attention.solve import solve_positive
from lab.layouts.merged import TokenLayout
from lab.learners.gates import Gates
from lab.learners.learner import Fixed
from lab.learners.online.learner import OnlineLearner, example_loss


class Hebbian(OnlineLearner):
    """Stochastic gradient descent on the linear loss -y . W f, whose steps are Hebbian, beta y f^T.

    Without a decay and from W_0 = 0 it is one step of batch gradient descent. Linear attention is this learner.
    """

    def step(self, w_YxF: jax.Array, example: Tokens) -> jax.Array:
        def loss(w_YxF: jax.Array) -> jax.Array:
            return -jnp.vdot(example.values, w_YxF @ example.keys)

        return example.decays * w_YxF - example.rates * jax.grad(loss)(w_YxF)


class OnePass(OnlineLearner):
    """Stochastic gradient descent on 1/2 |W f - y|^2 (Widrow and Hoff 1960): W' = alpha W, then W' - beta grad(W').

    The delta rule is this learner, gated or not.
    """

    def step(self, w_YxF: jax.Array, example: Tokens) -> jax.Array:
        w_YxF = example.decays * w_YxF
        return w_YxF - example.rates * jax.grad(example_loss)(w_YxF, example)


class Proximal(OnlineLearner):
    """Implicit descent: each W minimises |W - alpha W'|^2 + beta |W f - y|^2, with W' the W before.

    Longhorn's layer is this learner.
    """

    def step(self, w_YxF: jax.Array, example: Tokens) -> jax.Array:
        weighted_F = example.rates * example.keys
        system_FxF = jnp.eye(len(weighted_F)) + example.keys[:, None] * weighted_F[None]
        right_YxF = example.decays * w_YxF + example.values[:, None] * weighted_F[None]
        return solve_positive(system_FxF, right_YxF.T).T


class OnlineHeavyBall(OnlineLearner):
    """Descent with Polyak's heavy ball, as a recursion of the last two W:

        W_t = alpha_t W_{t-1} - beta_t grad(W_{t-1}) + theta_t (W_{t-1} - alpha_{t-1} W_{t-2}).

    The first step has no momentum. Titans' linear memory is this learner.
    """

    def fit(self, w_0_YxF: jax.Array, examples: Tokens) -> jax.Array:
        def step(carry: tuple[jax.Array, jax.Array], example: Tokens):
            w_YxF, earlier_YxF = carry  # W_{t-1}, and W_{t-2} after its decay
            decayed_YxF = example.decays * w_YxF
            step_YxF = example.momenta * (w_YxF - earlier_YxF) - example.rates * jax.grad(example_loss)(w_YxF, example)
            return (decayed_YxF + step_YxF, decayed_YxF), None

        return jax.lax.scan(step, (w_0_YxF, w_0_YxF), examples)[0][0]


class PreconditionedPass(OnlineLearner):
    """Descent whose gradient's column j is divided by the mean of f_j^2 over the examples so far.

    The preconditioned delta rule is this learner.
    """

    def fit(self, w_0_YxF: jax.Array, examples: Tokens) -> jax.Array:
        counts_Nx1 = 1.0 + jnp.arange(len(examples.keys))[:, None]
        means_NxF = jnp.cumsum(examples.keys**2, axis=0) / counts_Nx1

        def step(w_YxF: jax.Array, one: tuple[Tokens, jax.Array]):
            example, mean_F = one
            w_YxF = example.decays * w_YxF
            return w_YxF - example.rates * jax.grad(example_loss)(w_YxF, example) / (mean_F + SMALL)[None], None

        return jax.lax.scan(step, w_0_YxF, (examples, means_NxF))[0]


class WeightedRidge(OnlineLearner):
    """Ridge regression with weights that forget: W minimises sum_i c_i |W f_i - y_i|^2 + penalty |W - W_0|^2.

    c_i is example i's rate times the decays of the later examples. The mesa layer is this learner. The penalty is not
    trained: only its ratio to the rates matters.
    """

    def __init__(
        self,
        layout: TokenLayout,
        gates: Gates,
        penalty: float | jax.Array,
        passes: int = 1,
        initial_model: jax.Array | None = None,
    ):
        super().__init__(layout, gates, passes, initial_model)
        self.penalty = Fixed(jnp.asarray(penalty))

    def fit(self, w_0_YxF: jax.Array, examples: Tokens) -> jax.Array:
        penalty, f_NxF = self.penalty[...], examples.keys
        weighted_NxF = (examples.rates * later_decays(examples.decays))[:, None] * f_NxF
        system_FxF = weighted_NxF.T @ f_NxF + penalty * jnp.eye(f_NxF.shape[1])
        residual_NxY = examples.values - f_NxF @ w_0_YxF.T
        return w_0_YxF + solve_positive(system_FxF, weighted_NxF.T @ residual_NxY).T


def later_decays(decays_N: jax.Array) -> jax.Array:
    """Return the product of the decays after each example, (N,)."""
    return jnp.append(jnp.cumprod(decays_N[::-1])[-2::-1], 1.0) if len(decays_N) > 1 else jnp.ones_like(decays_N)
