"""The dual model of an attention head after gradient steps, in two forms that share no formula.

The kernel form (`lab.dual`) never computes the features phi, and has the gradient in closed form. The explicit form
computes the features of keys and queries, writes the loss as the source does, and differentiates it in W automatically.

Shapes: S tokens attended to, Q queries, C width of values, F features, M steps. Row m of batches_MxS holds the weights
of the tokens in the loss of step m: 1 for the demonstrations that it descends on, else 0.
"""

import jax
import jax.numpy as jnp

from experiments.duals.dual_form.heads import Head
from lab import dual


def kernel_form(head: Head, c_Q, batches_MxS, rate, alpha=0.0) -> jax.Array:
    """Return the answers (M, Q, C) after each step, in kernel form.

    Each query has a model and a loss of its own, with the normalizer c of that query.

    Args:
        c_Q: the normalizers.
        rate: beta of the steps.
        alpha: the factor of the L2 term, one for all steps or (M,).
    """
    alpha_M = jnp.broadcast_to(alpha, len(batches_MxS))

    def answers(query_A, c):
        def step(model_SxC, its_step):
            tokens_S, its_alpha = its_step
            (model_SxC,) = dual.descend(model_SxC, head.values_SxC, tokens_S[None], c, rate, its_alpha)
            return model_SxC, model_SxC

        start_SxC = dual.initial_model(head.values_SxC, head.instructions_S, c)
        _, models_MxSxC = jax.lax.scan(step, start_SxC, (batches_MxS, alpha_M))
        return jax.vmap(lambda model_SxC: dual.predict(head.keys_SxA, model_SxC, query_A[None])[0])(models_MxSxC)

    return jax.vmap(answers, out_axes=1)(head.queries_QxA, c_Q)


def kernel_ratio(head: Head, rate) -> jax.Array:
    """Return the answers (Q, C) of one model in ratio form, for all queries, after one step; in kernel form."""
    tokens = head.values_SxC, head.instructions_S, head.demonstrations_S
    return dual.attend(head.queries_QxA, head.keys_SxA, *tokens, rate)


def explicit_form(head: Head, c_Q, batches_MxS, rate, alpha=0.0) -> jax.Array:
    """Return the answers of `kernel_form`, (M, Q, C), computed in explicit form."""

    def answers(query_F, c):
        models_MxCxF = descend_explicitly(head, explicit_start(head, c), batches_MxS, c, rate, alpha)
        return models_MxCxF @ query_F

    return jax.vmap(answers, out_axes=1)(head.features_QxF, c_Q)


def explicit_ratio(head: Head, rate) -> jax.Array:
    """Return the answers of `kernel_ratio`, (Q, C), computed in explicit form."""
    both = head._replace(values_SxC=dual.with_ones(head.values_SxC))
    model_CxF = descend_explicitly(both, explicit_start(both), head.demonstrations_S[None], 1.0, rate)[-1]
    return dual.ratio(head.features_QxF @ model_CxF.T)


def explicit_start(head: Head, c=1.0) -> jax.Array:
    """Return the initial model W_0 = c V_T phi(K_T)^T (C, F), where T are the instruction tokens."""
    return c * (head.values_SxC.T * head.instructions_S[None]) @ head.features_SxF


def descend_explicitly(head: Head, start_CxF, batches_MxS, c, rate, alpha=0.0) -> jax.Array:
    """Return the models W (M, C, F) after each step of gradient descent, differentiated automatically.

    Step m descends -(c / beta) sum_i w_i v_i . W phi(k_i) + alpha / (2 beta) ||W||^2 with the weights w_i of row m.

    Args:
        alpha: one for all steps or (M,).
    """

    def loss(model_CxF, weights_S, its_alpha):
        agreement_S = jnp.sum(head.values_SxC * (head.features_SxF @ model_CxF.T), axis=1)
        return -(c / rate) * weights_S @ agreement_S + its_alpha / (2 * rate) * jnp.sum(model_CxF**2)

    def step(model_CxF, its_step):
        model_CxF = model_CxF - rate * jax.grad(loss)(model_CxF, *its_step)
        return model_CxF, model_CxF

    return jax.lax.scan(step, start_CxF, (batches_MxS, jnp.broadcast_to(alpha, len(batches_MxS))))[1]
