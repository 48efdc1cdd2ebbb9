"""Softmax attention as gradient descent on a dual model [LRGD eqs. 5-11, 17-18].

With the kernel kappa(x, y) = exp(x . y) = phi(x) . phi(y) and c = 1 / sum_i kappa(k_i, q), attention to the keys K and
values V is c V phi(K)^T phi(q). Let T be the instruction tokens and D the demonstrations. Then attention is the answer
W phi(q) of

    W = W_0 - beta grad L_ICL(W_0),    W_0 = c V_T phi(K_T)^T,    L_ICL(W) = -(c / beta) sum_D v_i . W phi(k_i).

phi is never computed here. A model W = sum_i a_i phi(k_i)^T is represented by its coefficients a_i, and answers

    f(q) = sum_i a_i kappa(k_i, q).

The gradient of L_ICL in W is such a model too, with the coefficients -(c / beta) v_i on D and 0 on T: the gradient in
the kernel's function space. (The gradient in the coefficients is another vector, kappa(K, K) times this one.)

c depends on the query, and so does L_ICL. The ratio form avoids this: with the values (v_i, 1) and c = 1 the model
answers (u, z) to q, and attention is u / z, with one model and one loss for all queries.

Scores include their scale: queries and keys are those of attention times A^(-1/4).
Shapes: S tokens attended to, Q queries, A width of queries and keys, C width of values, M steps.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp


def kernel(x_QxA: jax.Array, y_SxA: jax.Array) -> jax.Array:
    """Return kappa(x, y) = exp(x . y) of all pairs, (Q, S)."""
    return jnp.exp(x_QxA @ y_SxA.T)


def predict(keys_SxA: jax.Array, coefficients_SxC: jax.Array, q_QxA: jax.Array) -> jax.Array:
    """Return the model's answers f(q) = sum_i a_i kappa(k_i, q), (Q, C)."""
    return kernel(q_QxA, keys_SxA) @ coefficients_SxC


def initial_model(values_SxC: jax.Array, instructions_S: jax.Array, c: float | jax.Array = 1.0) -> jax.Array:
    """Return the coefficients (S, C) of W_0 = c V_T phi(K_T)^T. `instructions_S`: 1 for a token of T, else 0."""
    return c * instructions_S[:, None] * values_SxC


def loss(
    predictions_SxC: jax.Array,
    values_SxC: jax.Array,
    tokens_S: jax.Array,
    c: float | jax.Array = 1.0,
    rate: float | jax.Array = 1.0,
) -> jax.Array:
    """Return L_ICL = -(c / beta) sum_i w_i v_i . f(k_i), from a model's answers f(k_i) to the keys and weights w_i."""
    return -(c / rate) * jnp.sum(tokens_S[:, None] * values_SxC * predictions_SxC)


def gradient(
    coefficients_SxC: jax.Array,
    values_SxC: jax.Array,
    tokens_S: jax.Array,
    c: float | jax.Array = 1.0,
    rate: float | jax.Array = 1.0,
    alpha: float | jax.Array = 0.0,
) -> jax.Array:
    """Return the coefficients (S, C) of the gradient of L_ICL(W) + alpha / (2 beta) ||W||^2 in W.

    Args:
        coefficients_SxC: those of W. Without the L2 term the gradient does not depend on them.
        tokens_S: the weight of each token in the loss: 1 for a demonstration, 0 for others.
        c: the normalizer; 1 in the ratio form.
        rate: beta, which cancels in a step of the same rate.
        alpha: the fraction by which the L2 term shrinks the model in one step.
    """
    return -(c / rate) * tokens_S[:, None] * values_SxC + alpha / rate * coefficients_SxC


def descend(
    start_SxC: jax.Array,
    values_SxC: jax.Array,
    batches_MxS: jax.Array,
    c: float | jax.Array = 1.0,
    rate: float | jax.Array = 1.0,
    alpha: float | jax.Array = 0.0,
) -> jax.Array:
    """Return the coefficients (M, S, C) after each of M steps, where step m is on the loss of row m of `batches_MxS`.

    A row has the weight of each token. One row with all demonstrations is a single step; one row per demonstration is
    the path token by token; the same rows once more are a second pass.
    """

    def step(coefficients_SxC, tokens_S):
        change_SxC = gradient(coefficients_SxC, values_SxC, tokens_S, c, rate, alpha)
        coefficients_SxC = coefficients_SxC - rate * change_SxC
        return coefficients_SxC, coefficients_SxC

    return jax.lax.scan(step, start_SxC, batches_MxS)[1]


def with_ones(values_SxC: jax.Array) -> jax.Array:
    """Return the values (v_i, 1) of the ratio form, (S, C + 1)."""
    return jnp.concatenate([values_SxC, jnp.ones_like(values_SxC[:, :1])], axis=-1)


def ratio(answers_QxC: jax.Array) -> jax.Array:
    """Return u / z (Q, C) from the answers (u, z) of a model in ratio form."""
    return answers_QxC[:, :-1] / answers_QxC[:, -1:]


def predict_ratio(keys_SxA: jax.Array, coefficients_SxC: jax.Array, q_QxA: jax.Array) -> jax.Array:
    """Return `ratio(predict(...))`, (Q, C), without overflow for large scores.

    A factor of phi(q) cancels in the ratio, so each query's largest score is subtracted from the exponents. Keys with
    zero coefficients are left out of that maximum: one with a larger score would let all others underflow.
    """
    counts_S = jnp.any(coefficients_SxC != 0, axis=-1)
    scores_QxS = jnp.where(counts_S, q_QxA @ keys_SxA.T, -jnp.inf)
    largest_Q = jax.lax.stop_gradient(jnp.max(scores_QxS, axis=-1, keepdims=True))
    return ratio(jnp.exp(scores_QxS - largest_Q) @ coefficients_SxC)


def attend(
    q_QxA: jax.Array,
    keys_SxA: jax.Array,
    values_SxC: jax.Array,
    instructions_S: jax.Array,
    demonstrations_S: jax.Array,
    rate: float | jax.Array = 1.0,
) -> jax.Array:
    """Return the answers (Q, C) of the model in ratio form after one gradient step: softmax attention to these tokens.

    Args:
        instructions_S: weight of each token in W_0. Where attention adds a bias b to a score, the weight is exp(b).
        demonstrations_S: weight of each token in the loss, likewise.
    """
    values_SxC = with_ones(values_SxC)
    start_SxC = initial_model(values_SxC, instructions_S)
    model_SxC = descend(start_SxC, values_SxC, demonstrations_S[None], rate=rate)[-1]
    return predict_ratio(keys_SxA, model_SxC, q_QxA)


def secant(activation: Callable[[jax.Array], jax.Array], z: jax.Array) -> jax.Array:
    """Return act(z) / z, the diagonal of Sigma_act [LRGD eqs. 12-14], for act with act(0) = 0; at z = 0 the slope."""
    slope = jax.grad(activation)(jnp.zeros((), z.dtype))
    return jnp.where(z == 0, slope, activation(z) / jnp.where(z == 0, 1, z))
