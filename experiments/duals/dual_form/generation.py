"""The dual model while tokens are generated: each of them becomes a part of the prompt of the next [LRGD section 3.3].

LRGD moves the start by the generated token's term, W_0' = W_0 + c v phi(k)^T. But the normalizer c is that of the query
that has been answered, over the tokens before it. The next query has another one, c', over one more token: with
W_0' = (c' / c) (W_0 + c v phi(k)^T) the step is exact. In ratio form nothing has a normalizer, and the term is added as
it is.
"""

import jax.numpy as jnp

from experiments.duals.dual_form.forms import explicit_form, explicit_ratio, kernel_form, kernel_ratio
from experiments.duals.dual_form.heads import Head, head_of, heads
from experiments.duals.dual_form.rows import Measured, Statement, distance, over_cases
from experiments.duals.dual_form.settings import DualForm

TOPIC = "generated tokens"
STATEMENTS = {
    "generated_as_written": Statement(
        "With W_0 moved by the generated token's c v phi(k)^T alone the next step is not softmax attention.",
        relation="different",
    ),
    "generated_rescaled": Statement(
        "With W_0 and that term rescaled to the next query's normalizer it is softmax attention.",
    ),
    "generated_ratio": Statement(
        "In ratio form the generated token's term is added as it is, and the next step is softmax attention."
    ),
}


def measure(settings: DualForm) -> Measured:
    """Return the distances of the two sides of each identity, for every case."""
    return over_cases(lambda each: case(head_of(settings, each), settings.learning_rate), heads(settings))


def case(head: Head, rate) -> Measured:
    """Return the errors of one case. The first token after the prompt is the generated one; each query is asked next
    to another one, which has been answered before."""
    first = jnp.argmax(head.perturbations_S)
    generated_S = head.perturbations_S * (jnp.arange(len(head.keys_SxA)) == first)
    seen_S = head.instructions_S + head.demonstrations_S + generated_S
    kernel_QxS = jnp.exp(head.queries_QxA @ head.keys_SxA.T)
    h_QxC = (kernel_QxS * seen_S[None] / (kernel_QxS @ seen_S)[:, None]) @ head.values_SxC
    old_c_Q = jnp.roll(1 / (kernel_QxS @ (seen_S - generated_S)), 1)
    c_Q, largest, one_1xS = 1 / (kernel_QxS @ seen_S), head.largest_kernel, head.demonstrations_S[None]
    # W_0 of instructions and the generated token: c V_T phi(K_T)^T + c v phi(k)^T.
    moved = head._replace(instructions_S=head.instructions_S + generated_S, perturbations_S=0 * generated_S)
    return {
        "generated_as_written": {"kernel": distance(kernel_form(moved, old_c_Q, one_1xS, rate)[0], h_QxC)},
        "generated_rescaled": {
            "kernel": distance(kernel_form(moved, c_Q, one_1xS, rate)[0], h_QxC),
            "features": distance(explicit_form(moved, c_Q, one_1xS, rate)[0], h_QxC, largest),
        },
        "generated_ratio": {
            "kernel": distance(kernel_ratio(moved, rate), h_QxC),
            "features": distance(explicit_ratio(moved, rate), h_QxC, largest),
        },
    }
