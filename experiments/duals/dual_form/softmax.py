"""Softmax attention as one gradient step of a dual model, and the conditions of that identity [LRGD eqs. 5-11].

A prompt has one head, instruction tokens and demonstrations. The features of the kernel are exact ones, and Taylor
features, which are exact up to Lagrange's remainder.
"""

import jax
import jax.numpy as jnp

from experiments.duals.dual_form import start_and_loss
from experiments.duals.dual_form.forms import explicit_form, explicit_ratio, kernel_form, kernel_ratio
from experiments.duals.dual_form.heads import KEY_WIDTH, Head, heads, prompt_of
from experiments.duals.dual_form.rows import Bounded, Measured, Statement, distance, quick_jit
from experiments.duals.dual_form.settings import DualForm
from lab import dual
from lab.features.taylor import exponents, remainder, taylor_features

DEGREES = (2, 4, 8, 12, 16)  # of Taylor features
TAYLOR_CASES = 8  # most cases with Taylor features, which take 2 megabytes per case
LARGE = 2.0  # a factor of the norm: scores are 4 times as large
OVERFLOWING = 30.0  # a factor of the norm: scores are 900 times as large, and their exponentials overflow

TOPIC = "softmax attention"
STATEMENTS = {
    "dual_step": Statement(
        "Softmax attention is one gradient step on L_ICL from W_0, with the normalizer c of the query.",
        "LRGD, eqs. 5-11",
    ),
    "other_normalizer": Statement(
        "With the normalizer of another query the step on L_ICL is not softmax attention.", relation="different"
    ),
    **start_and_loss.STATEMENTS,
    "ratio_form": Statement(
        "One step on one loss, with the values (v, 1) and no normalizer, is softmax attention for all queries."
    ),
    "coefficient_gradient": Statement(
        "The gradient of L_ICL in a model's coefficients is kappa(K, K) times its gradient in function space."
    ),
    "taylor_features": Statement(
        "Taylor features of degree p give softmax attention up to Lagrange's remainder.", relation="approximate"
    ),
}


def measure(settings: DualForm) -> Measured:
    """Return the distances of the two sides of each identity, for every case."""

    @quick_jit
    def all_cases(cases, large, rate):
        def case(each, its_large):
            head, large_head = prompt_of(settings, each), prompt_of(settings, its_large)
            of_one_loss = one_loss(head, rate) | start_and_loss.measure(head, rate)
            return one_step(head, large_head, rate) | of_one_loss | coefficient_gradient(head, rate)

        few = jax.tree.map(lambda each: each[:TAYLOR_CASES], cases)
        return jax.vmap(case)(cases, large), jax.vmap(lambda each: taylor(prompt_of(settings, each), rate))(few)

    cases = heads(settings), heads(settings, LARGE)
    measured, by_degree = jax.device_get(all_cases(*cases, settings.learning_rate))
    degrees = {f"degree {degree}": Bounded(*(each[:, i] for each in by_degree)) for i, degree in enumerate(DEGREES)}
    return measured | {"taylor_features": degrees}


def one_step(head: Head, large: Head, rate) -> Measured:
    """Return the errors of one step on the loss with each query's own normalizer, for two norms of queries and keys."""
    batches_1xS = head.demonstrations_S[None]

    def errors(each):
        explicit_QxC = explicit_form(each, each.normalizer, batches_1xS, rate)[0]
        kernel_QxC = kernel_form(each, each.normalizer, batches_1xS, rate)[0]
        return jnp.stack(
            [
                distance(kernel_QxC, each.attention),
                distance(explicit_QxC, each.attention, each.largest_kernel),
            ]
        )

    both = jax.tree.map(lambda *each: jnp.stack(each), head, large)
    measured = jax.vmap(errors)(both).ravel()
    forms = ("kernel", "features", "kernel, norm x 2", "features, norm x 2")
    return {"dual_step": dict(zip(forms, measured, strict=True))}


def coefficient_gradient(head: Head, rate) -> Measured:
    """Return the distance of the gradient in the coefficients, by automatic differentiation, from kappa(K, K) times the
    gradient in function space."""
    kernels_SxS = dual.kernel(head.keys_SxA, head.keys_SxA)
    start_SxC = dual.initial_model(head.values_SxC, head.instructions_S)
    change_SxC = dual.gradient(start_SxC, head.values_SxC, head.demonstrations_S, rate=rate)

    def loss(model_SxC):
        return dual.loss(kernels_SxS @ model_SxC, head.values_SxC, head.demonstrations_S, rate=rate)

    error = distance(jax.grad(loss)(start_SxC), kernels_SxS @ change_SxC, head.largest_kernel)
    return {"coefficient_gradient": {"kernel": error}}


def one_loss(head: Head, rate) -> Measured:
    """Return the errors of one loss for all queries: with the normalizer of another query, and in ratio form."""
    h_QxC, other_c_Q = head.attention, jnp.roll(head.normalizer, 1)
    others_QxC = kernel_form(head, other_c_Q, head.demonstrations_S[None], rate)[0]
    queries_QxA, keys_SxA = (OVERFLOWING * each for each in (head.queries_QxA, head.keys_SxA))
    overflowing = head._replace(queries_QxA=queries_QxA, keys_SxA=keys_SxA)
    return {
        "other_normalizer": {"kernel": distance(others_QxC, h_QxC)},
        "ratio_form": {
            "kernel": distance(kernel_ratio(head, rate), h_QxC),
            "kernel, norm x 30": distance(kernel_ratio(overflowing, rate), overflowing.attention),
            "features": distance(explicit_ratio(head, rate), h_QxC, head.largest_kernel),
        },
    }


def taylor(head: Head, rate) -> Bounded:
    """Return the errors of the ratio form in Taylor features of each degree, with their bounds.

    Kernel values that are wrong by d_i make the answer wrong by sum_i d_i (v_i - h) / z, where z is the sum of the
    wrong kernel values.
    """
    h_QxC, scores_QxS = head.attention, head.queries_QxA @ head.keys_SxA.T
    far_QxSxC = jnp.abs(head.values_SxC[None] - h_QxC[:, None])
    features_PxF = taylor_features(jnp.concatenate([head.queries_QxA, head.keys_SxA]), max(DEGREES))
    features_QxF, features_SxF = jnp.split(features_PxF, [len(h_QxC)])
    degrees_F = exponents(KEY_WIDTH, max(DEGREES)).sum(axis=1)

    def errors(degree):
        kept_QxF = jnp.where(degrees_F[None] <= degree, features_QxF, 0.0)
        z_Q = kept_QxF @ jnp.sum(features_SxF, axis=0)
        wrong_QxC = jnp.einsum("qs,qsc->qc", remainder(scores_QxS, degree), far_QxSxC) / jnp.abs(z_Q)[:, None]
        answers_QxC = explicit_ratio(head._replace(features_SxF=features_SxF, features_QxF=kept_QxF), rate)
        return Bounded(distance(answers_QxC, h_QxC), jnp.max(wrong_QxC))

    return jax.vmap(errors)(jnp.array(DEGREES))
