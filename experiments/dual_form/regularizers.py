"""Two regularizers of the dual model, and the conditions under which each is exact [LRGD eqs. 15-18].

Perturbation tokens after the demonstrations add their terms to the loss, and also change the normalizer c. Values of
the instruction tokens times 1 - alpha correspond to an L2 term alpha / (2 beta) ||W||^2, for one step from W_0.
"""

import jax
import jax.numpy as jnp
import numpy as np

from experiments.dual_form.forms import explicit_form, kernel_form
from experiments.dual_form.heads import Head, head_of, heads, prompt_of
from experiments.dual_form.rows import Measured, Statement, distance, quick_jit
from experiments.dual_form.settings import DualForm

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
    "shrunk_token_steps": Statement(
        "Where every demonstration takes its own step, the L2 term does not give the shrunk values.",
        relation="different",
    ),
    "shrunk_spread": Statement(
        "Nor does it where alpha is spread over these steps, so that together they shrink W_0 by 1 - alpha.",
        relation="different",
    ),
}


def measure(settings: DualForm) -> Measured:
    """Return the distances of the two sides of each identity, for every case."""

    @quick_jit
    def all_cases(cases, rate, alpha):
        def case(each):
            return perturbed(head_of(settings, each), rate) | shrunk(prompt_of(settings, each), rate, alpha)

        return jax.vmap(case)(cases)

    return all_cases(heads(settings), settings.learning_rate, settings.alpha)


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
    """Return the errors of the identities with an L2 term, in one step and in one step per demonstration."""
    values_SxC = (1 - alpha * head.instructions_S)[:, None] * head.values_SxC
    h_QxC, c_Q = head._replace(values_SxC=values_SxC).attention, head.normalizer
    one_1xS, every_NxS = head.demonstrations_S[None], np.diag(head.demonstrations_S)[head.demonstrations_S > 0]
    spread = 1 - (1 - alpha) ** (1 / len(every_NxS))
    explicit_QxC = explicit_form(head, c_Q, one_1xS, rate, alpha)[0]
    kernel_QxC = kernel_form(head, c_Q, one_1xS, rate, alpha)[0]
    start = head.without(1 - head.instructions_S)
    lost_QxC = alpha * (c_Q / start.normalizer)[:, None] * start.attention
    alphas = jnp.stack([alpha, spread])
    token_steps_QxC, spread_QxC = jax.vmap(lambda each: kernel_form(head, c_Q, every_NxS, rate, each)[-1])(alphas)
    return {
        "shrunk_values": {
            "kernel": distance(kernel_QxC, h_QxC),
            "features": distance(explicit_QxC, h_QxC, head.largest_kernel),
        },
        "shrunk_start": {
            "kernel": distance(head.attention - kernel_QxC, lost_QxC),
            "features": distance(head.attention - explicit_QxC, lost_QxC, head.largest_kernel),
        },
        "shrunk_token_steps": {"kernel": distance(token_steps_QxC, h_QxC)},
        "shrunk_spread": {"kernel": distance(spread_QxC, h_QxC)},
    }
