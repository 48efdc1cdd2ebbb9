"""Softmax attention as one gradient step of a dual model, and the conditions of that identity [LRGD eqs. 5-11].

A prompt has one head, instruction tokens and demonstrations. The features of the kernel are exact ones, and Taylor
features, which are exact up to Lagrange's remainder.

Two sentences of the source are taken by their words [section 3.3]: W_0 = c V_T phi(K_T)^T is said to depend on the
instruction tokens alone, but c sums the kernel over all tokens. The loss is said to compute cosines of labels v_i and
samples W phi(k_i), but L_ICL has their products.
"""

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.dual_form.forms import explicit_form, explicit_ratio, explicit_start, kernel_form, kernel_ratio
from experiments.duals.dual_form.heads import KEY_WIDTH, Head, heads, prompt_of
from experiments.duals.dual_form.rows import Bounded, Measured, Statement, distance, lost_share, over_cases
from experiments.duals.dual_form.settings import DualForm
from lab import dual
from lab.features.exact import exponents, remainder, taylor_features

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
    "start_demonstrations": Statement(
        "With half of the demonstrations W_0 is another matrix, as its normalizer sums over all tokens.",
        relation="different",
        share=True,
    ),
    "cosine_loss": Statement(
        "L_ICL is not the sum of the cosines of labels and samples, and a step on these does not lead to attention.",
        relation="different",
    ),
    "ratio_form": Statement(
        "One step on one loss, with the values (v, 1) and no normalizer, is softmax attention for all queries."
    ),
    "taylor_features": Statement(
        "Taylor features of degree p give softmax attention up to Lagrange's remainder.", relation="approximate"
    ),
}


def measure(settings: DualForm) -> Measured:
    """Return the distances of the two sides of each identity, for every case."""
    rate, cases = settings.learning_rate, heads(settings)

    def case(each, its_large):
        head, large_head = prompt_of(settings, each), prompt_of(settings, its_large)
        return one_step(head, large_head, rate) | one_loss(head, rate) | start_and_loss(head, rate)

    measured = over_cases(case, cases, heads(settings, LARGE))
    few = jax.tree.map(lambda each: each[:TAYLOR_CASES], cases)
    by_degree = over_cases(lambda each: taylor(prompt_of(settings, each), rate), few)
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


def start_and_loss(head: Head, rate) -> Measured:
    """Return the distances of one head. Each query has a model and a loss of its own."""
    left_out_S = head.demonstrations_S * (np.cumsum(head.demonstrations_S) % 2)
    errors = jax.vmap(lambda query_F, c: _cosines(head, query_F, c, rate))(head.features_QxF, head.normalizer)
    losses_Q, cosine_losses_Q, answers_QxC = errors
    return {
        "start_demonstrations": {"features": starts_apart(head, head.without(left_out_S))},
        "cosine_loss": {
            "the loss": distance(cosine_losses_Q, losses_Q),
            "its step": distance(answers_QxC, head.attention),
        },
    }


def starts_apart(head: Head, other: Head) -> jax.Array:
    """Return the distance of W_0 of two prompts with the same instruction tokens, as a share of the first one."""
    first, second = (jax.vmap(lambda c, each=each: explicit_start(each, c))(each.normalizer) for each in (head, other))
    return lost_share(second, first, 0.0)


def _cosines(head: Head, query_F, c, rate) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return L_ICL at W_0, the same with cosines in place of products, and the answer (C,) after a step on these."""

    def cosine_loss(model_CxF):
        samples_SxC = head.features_SxF @ model_CxF.T
        lengths_S = jnp.linalg.norm(samples_SxC, axis=1) * jnp.linalg.norm(head.values_SxC, axis=1)
        labels_SxC = head.values_SxC / lengths_S[:, None]
        return dual.loss(samples_SxC, labels_SxC, head.demonstrations_S, c, rate)

    start_CxF = explicit_start(head, c)
    loss = dual.loss(head.features_SxF @ start_CxF.T, head.values_SxC, head.demonstrations_S, c, rate)
    model_CxF = start_CxF - rate * jax.grad(cosine_loss)(start_CxF)
    return loss, cosine_loss(start_CxF), model_CxF @ query_F


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
