"""Two regularizers of the dual model, and the conditions under which each is exact [LRGD eqs. 15-18].

Perturbation tokens after the demonstrations add their terms to the loss, and also change the normalizer c. Values of
the instruction tokens times 1 - alpha correspond to an L2 term alpha / (2 beta) ||W||^2, for one step from W_0.

Where demonstration m takes a step of its own with an L2 term of alpha_m, the model after the last one is

    prod_m (1 - alpha_m) W_0 + c sum_m v_m phi(k_m)^T prod_{j > m} (1 - alpha_j).

The shrunk values ask for 1 - alpha and for ones in place of the products. All products over j > m are 1 only if all
alpha_j but the first are 0, and then the first is alpha.
"""

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.dual_form.forms import explicit_form, kernel_form
from experiments.duals.dual_form.heads import Head, head_of, heads, prompt_of
from experiments.duals.dual_form.rows import Measured, Statement, distance, over_cases
from experiments.duals.dual_form.settings import DualForm
from lab import dual

TOPIC = "regularizers"
STATEMENTS = {
    "perturbation": Statement(
        "Perturbation tokens add their terms to L_ICL, with the normalizer of all tokens.", "LRGD, eq. 16"
    ),
    "perturbation_old_normalizer": Statement(
        "With the normalizer of the prompt without them, the added terms do not give the attention.",
        relation="different",
    ),
    "perturbation_average": Statement(
        "Perturbation tokens move the answer towards attention to them alone, by their share of the kernel."
    ),
    "shrunk_values": Statement(
        "Values of the instruction tokens times 1 - alpha are an L2 term in one step from W_0.", "LRGD, eqs. 17-18"
    ),
    "shrunk_start": Statement(
        "They take alpha times the answer of W_0 away, and leave the step of the demonstrations as it is."
    ),
    "shrunk_first_step": Statement(
        "Where every demonstration takes its own step, they are an L2 term in the first step alone."
    ),
    "shrunk_by_steps": Statement(
        "With an L2 term of its own in each step, a step is shrunk by the terms of all steps after it."
    ),
    "shrunk_later_step": Statement(
        "An L2 term in one later step alone does not give the shrunk values, whichever step it is in.",
        relation="different",
        in_every_case=True,
    ),
    "shrunk_token_steps": Statement(
        "Nor does an L2 term of alpha in each of these steps.",
        relation="different",
        in_every_case=True,
    ),
    "shrunk_spread": Statement(
        "Nor does it where alpha is spread over these steps, so that together they shrink W_0 by 1 - alpha.",
        relation="different",
        in_every_case=True,
    ),
}


def measure(settings: DualForm) -> Measured:
    """Return the distances of the two sides of each identity, for every case."""
    rate, alpha = settings.learning_rate, settings.alpha

    def case(each):
        prompt = prompt_of(settings, each)
        whole = perturbed(head_of(settings, each), rate) | shrunk(prompt, rate, alpha)
        return whole | shrunk_by_steps(prompt, rate, alpha)

    return over_cases(case, heads(settings))


def perturbed(head: Head, rate) -> Measured:
    """Return the errors of the identities with perturbation tokens as further terms of the loss."""
    prompt, added = head.without(head.perturbations_S), head.without(1 - head.perturbations_S)
    h_QxC, c_Q, old_c_Q = head.attention, head.normalizer, prompt.normalizer
    batches_1xS = (head.demonstrations_S + head.perturbations_S)[None]
    share_Qx1 = (1 - c_Q / old_c_Q)[:, None]
    average_QxC = (1 - share_Qx1) * prompt.attention + share_Qx1 * added.attention
    explicit_QxC = explicit_form(head, c_Q, batches_1xS, rate)[0]
    both = jnp.stack([c_Q, old_c_Q])
    kernel_QxC, old_QxC = jax.vmap(lambda each_Q: kernel_form(head, each_Q, batches_1xS, rate)[0])(both)
    return {
        "perturbation": {
            "kernel": distance(kernel_QxC, h_QxC),
            "features": distance(explicit_QxC, h_QxC, head.largest_kernel),
        },
        "perturbation_old_normalizer": {"kernel": distance(old_QxC, h_QxC)},
        "perturbation_average": {"kernel": distance(kernel_QxC, average_QxC)},
    }


def shrunk(head: Head, rate, alpha) -> Measured:
    """Return the errors of the identities with an L2 term in one step."""
    h_QxC, c_Q, one_1xS = shrunk_attention(head, alpha), head.normalizer, head.demonstrations_S[None]
    explicit_QxC = explicit_form(head, c_Q, one_1xS, rate, alpha)[0]
    kernel_QxC = kernel_form(head, c_Q, one_1xS, rate, alpha)[0]
    start = head.without(1 - head.instructions_S)
    lost_QxC = alpha * (c_Q / start.normalizer)[:, None] * start.attention
    return {
        "shrunk_values": {
            "kernel": distance(kernel_QxC, h_QxC),
            "features": distance(explicit_QxC, h_QxC, head.largest_kernel),
        },
        "shrunk_start": {
            "kernel": distance(head.attention - kernel_QxC, lost_QxC),
            "features": distance(head.attention - explicit_QxC, lost_QxC, head.largest_kernel),
        },
    }


def shrunk_by_steps(head: Head, rate, alpha) -> Measured:
    """Return the errors of the identities with an L2 term of its own in each demonstration's step."""
    h_QxC, largest = shrunk_attention(head, alpha), head.largest_kernel
    every_NxS = np.diag(head.demonstrations_S)[head.demonstrations_S > 0]
    steps = len(every_NxS)
    alone_NxN = alpha * jnp.eye(steps)
    increasing_N = alpha * jnp.arange(1.0, steps + 1) / steps
    spread_N = jnp.full(steps, 1 - (1 - alpha) ** (1 / steps))
    alphas_PxN = jnp.concatenate([alone_NxN, jnp.stack([increasing_N, jnp.full(steps, alpha), spread_N])])

    def last(form, alphas_PxN):
        return jax.vmap(lambda alpha_N: form(head, head.normalizer, every_NxS, rate, alpha_N)[-1])(alphas_PxN)

    first_QxC, *later, increasing_QxC, every_QxC, spread_QxC = last(kernel_form, alphas_PxN)
    features = last(explicit_form, jnp.stack([alone_NxN[0], increasing_N]))
    products_QxC = by_products(head, increasing_N)
    return {
        "shrunk_first_step": {
            "kernel": distance(first_QxC, h_QxC),
            "features": distance(features[0], h_QxC, largest),
        },
        "shrunk_by_steps": {
            "kernel": distance(increasing_QxC, products_QxC),
            "features": distance(features[1], products_QxC, largest),
        },
        "shrunk_later_step": {"kernel": jnp.min(jnp.stack([distance(each, h_QxC) for each in later]))},
        "shrunk_token_steps": {"kernel": distance(every_QxC, h_QxC)},
        "shrunk_spread": {"kernel": distance(spread_QxC, h_QxC)},
    }


def shrunk_attention(head: Head, alpha) -> jax.Array:
    """Return attention (Q, C) with the values of the instruction tokens times 1 - alpha."""
    values_SxC = (1 - alpha * head.instructions_S)[:, None] * head.values_SxC
    return head._replace(values_SxC=values_SxC).attention


def by_products(head: Head, alpha_N: jax.Array | np.ndarray) -> jax.Array:
    """Return the answers (Q, C) after one step per demonstration with these L2 terms, by the formula above."""
    after_N = jnp.cumprod((1 - alpha_N)[::-1])[::-1]  # the product from each step on
    weights_S = after_N[0] * head.instructions_S
    weights_S = weights_S.at[head.demonstrations_S > 0].set(jnp.append(after_N[1:], 1.0))
    kernel_QxS = dual.kernel(head.queries_QxA, head.keys_SxA)
    return head.normalizer[:, None] * (kernel_QxS @ (weights_S[:, None] * head.values_SxC))
