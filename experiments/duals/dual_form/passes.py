"""Many gradient steps on the dual model's loss, which is linear in the model [LRGD figure 8].

Its gradient is the same everywhere. So the order of the demonstrations and their batches do not matter, a second pass
over them adds the same step again, and the loss has no lower bound.
"""

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.dual_form.forms import descend_explicitly, explicit_form, explicit_start
from experiments.duals.dual_form.heads import Head, heads, prompt_of
from experiments.duals.dual_form.rows import Measured, Statement, distance, over_cases
from experiments.duals.dual_form.settings import DualForm
from lab import dual

PASSES = 3

TOPIC = "many steps"
STATEMENTS = {
    "order_and_batches": Statement("The order of the demonstrations and their batches do not matter."),
    "no_minimizer": Statement(
        "L_ICL has no minimizer: every pass over the demonstrations lowers it by the same amount."
    ),
    "passes": Statement(
        "After P passes over the demonstrations the squared error is (P - 1)^2 times that before the first."
    ),
    "three_passes": Statement(
        "Three passes over the demonstrations do not give softmax attention.", relation="different"
    ),
}


def measure(settings: DualForm) -> Measured:
    """Return the distances of the two sides of each identity, for every case."""
    return over_cases(lambda each: case(prompt_of(settings, each), settings.learning_rate), heads(settings))


def case(head: Head, rate) -> Measured:
    """Return the errors of one case, in exact features."""
    h_QxC, c_Q, largest, demonstrations_S = head.attention, head.normalizer, head.largest_kernel, head.demonstrations_S

    def after(batches_MxS):
        return explicit_form(head, c_Q, batches_MxS, rate)

    odd_S = np.arange(len(demonstrations_S)) % 2
    in_turn_MxS = np.diag(demonstrations_S)[::-1]
    halves_MxS = np.stack([demonstrations_S * odd_S, demonstrations_S * (1 - odd_S)])
    none_and_passes_MxS = np.outer(np.arange(PASSES + 1) > 0, demonstrations_S).astype(float)
    passes_PxQxC = after(none_and_passes_MxS)
    errors_P = jnp.sum((passes_PxQxC - h_QxC[None]) ** 2, axis=(1, 2))
    expected_P = (np.arange(PASSES + 1.0) - 1) ** 2
    return {
        "order_and_batches": {
            "one by one": distance(after(in_turn_MxS)[-1], h_QxC, largest),
            "two batches": distance(after(halves_MxS)[-1], h_QxC, largest),
        },
        "no_minimizer": {"features": _fall(head, rate, none_and_passes_MxS)},
        "passes": {f"0 to {PASSES} passes": distance(errors_P / errors_P[0], expected_P, largest)},
        "three_passes": {"features": distance(passes_PxQxC[-1], h_QxC)},
    }


def _fall(head: Head, rate, none_and_passes_MxS) -> jax.Array:
    """Return the distance of the decrease of the loss (c = 1) per pass from beta ||grad L||^2, in the kernel's norm."""
    values_SxC, demonstrations_S = head.values_SxC, head.demonstrations_S
    models_PxCxF = descend_explicitly(head, explicit_start(head), none_and_passes_MxS, 1.0, rate)
    losses_P = jax.vmap(lambda answers_SxC: dual.loss(answers_SxC, values_SxC, demonstrations_S, rate=rate))(
        head.features_SxF @ models_PxCxF.mT
    )
    change_SxC = dual.gradient(values_SxC, values_SxC, demonstrations_S, rate=rate)
    square_norm = jnp.sum(change_SxC * dual.predict(head.keys_SxA, change_SxC, head.keys_SxA))
    return distance(-jnp.diff(losses_P), jnp.full(PASSES, rate * square_norm), head.largest_kernel)
