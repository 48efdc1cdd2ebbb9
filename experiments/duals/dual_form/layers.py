"""The dual model inside a layer, where attention is followed by an MLP, a residual or a layer norm [LRGD eqs. 12-14].

An MLP W_2 act(z), z = W_1 h + b, is linear in h for fixed z: W_2 Sigma W_1 h + W_2 Sigma b with the secant
Sigma = diag(act(z) / z). SwiGLU, W_2 (silu(W_g h) z), is so with Sigma = diag(silu(W_g h)). A layer norm is linear for
a fixed scale. So each of them answers like a dual model whose values are the linearly mapped values of the tokens, plus
a vector that does not depend on the demonstrations.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from experiments.duals.dual_form.forms import kernel_form
from experiments.duals.dual_form.heads import QUERIES, Head, as_jax, heads, prompt_of, random_arrays
from experiments.duals.dual_form.rows import Measured, Statement, distance, lost_share, over_cases
from experiments.duals.dual_form.settings import DualForm
from lab import dual

HIDDEN = 32  # units of the MLP
BIAS = 0.1  # standard deviation of the biases; pre-activations are of the order of 1
GATED = "SwiGLU"
ACTIVATIONS = {"ReLU": jax.nn.relu, "GELU": lambda z: jax.nn.gelu(z, approximate=False)}

TOPIC = "behind attention"
STATEMENTS = {
    "secant_activation": Statement(
        "An MLP is linear with Sigma = diag(act(z) / z) at the actual z, one with SwiGLU with that of its gate.",
        "LRGD, eqs. 12-14, and the footnote there",
    ),
    "tangent_activation": Statement(
        "With the slope act'(z) in place of act(z) / z it is another function.", relation="different"
    ),
    "frozen_activation": Statement(
        "With Sigma of the prompt without demonstrations, an MLP loses a part of what they change.",
        relation="different",
        share=True,
    ),
    "flipped_signs": Statement(
        "The demonstrations flip the sign of some pre-activations.", relation="different", share=True
    ),
    "layer_norm": Statement(
        "A residual is a constant of the dual model, and a layer norm a linear map with the scale of its actual input."
    ),
    "frozen_layer_norm": Statement(
        "With the scale of the prompt without demonstrations, a layer norm loses a part of what they change.",
        relation="different",
        share=True,
    ),
}


class Weights(NamedTuple):
    """The weights of an MLP with U units, the residual of each query, and the gate's weights where it has one."""

    w_in_UxC: jax.Array
    bias_U: jax.Array
    w_out_CxU: jax.Array
    residual_QxC: jax.Array
    w_gate_UxC: jax.Array


class Linearized(NamedTuple):
    """The part of a layer after attention, as a linear map of attention's output plus a constant for each query.

    full_QxC: the output of that part without linearization. without_QxC: the same for the prompt without
        demonstrations.
    """

    map_QxCxC: jax.Array
    constant_QxC: jax.Array
    full_QxC: jax.Array
    without_QxC: jax.Array


def measure(settings: DualForm) -> Measured:
    """Return the distances of the two sides of each identity, for every case."""
    width = settings.input_dim
    sizes = [(HIDDEN, width), (HIDDEN,), (width, HIDDEN), (QUERIES, width), (HIDDEN, width)]
    w_in, bias, w_out, residual, w_gate = random_arrays(settings, 2, *sizes)
    weights = Weights(*map(as_jax, (w_in, BIAS * bias, HIDDEN**-0.5 * w_out, residual, w_gate)))
    rate = settings.learning_rate
    return over_cases(lambda each, its: case(prompt_of(settings, each), its, rate), heads(settings), weights)


def case(head: Head, weights: Weights, rate) -> Measured:
    """Return the errors of one case. Each linearization has a dual model of its own; one vmap computes all answers."""
    h_QxC, h_without_QxC = head.attention, head.without(head.demonstrations_S).attention
    linearized = mlp(h_QxC, h_without_QxC, weights) | layer_norm(h_QxC, h_without_QxC, weights)
    stacked = jax.tree.map(lambda *each: jnp.stack(each), *linearized.values())
    answers = jax.vmap(lambda map_QxCxC: dual_answers(head, map_QxCxC, rate))(stacked.map_QxCxC) + stacked.constant_QxC
    z, z_without = (each @ weights.w_in_UxC.T + weights.bias_U[None] for each in (h_QxC, h_without_QxC))
    measured: Measured = {"flipped_signs": {"any activation": jnp.mean(jnp.sign(z) != jnp.sign(z_without))}}
    for answers_QxC, ((identity, variant), each) in zip(answers, linearized.items(), strict=True):
        share = lost_share(answers_QxC, each.full_QxC, each.without_QxC)
        error = share if STATEMENTS[identity].share else distance(answers_QxC, each.full_QxC)
        measured.setdefault(identity, {})[variant] = error
    return measured


def dual_answers(head: Head, map_QxCxC: jax.Array, rate) -> jax.Array:
    """Return the answers (Q, C) of dual models whose values are those of the tokens, mapped by the query's own map."""

    def answer(query_A, c, map_CxC):
        each = head._replace(queries_QxA=query_A[None], values_SxC=head.values_SxC @ map_CxC.T)
        return kernel_form(each, c[None], head.demonstrations_S[None], rate)[0, 0]

    return jax.vmap(answer)(head.queries_QxA, head.normalizer, map_QxCxC)


def mlp(h_QxC, h_without_QxC, weights: Weights) -> dict[tuple[str, str], Linearized]:
    """Linearize W_2 act(W_1 h + b) by the secant, by the tangent, and by the secant of the prompt without
    demonstrations.

    Args:
        h_QxC, h_without_QxC: attention's output, with and without demonstrations.

    Returns:
        {(identity, activation): its linearization}.
    """
    w_in_UxC, bias_U, w_out_CxU, *_ = weights
    z_QxU, z_without_QxU = (h @ w_in_UxC.T + bias_U[None] for h in (h_QxC, h_without_QxC))
    gates = [jax.nn.silu(h @ weights.w_gate_UxC.T) for h in (h_QxC, h_without_QxC)]
    hidden = {name: (activation(z_QxU), activation(z_without_QxU)) for name, activation in ACTIVATIONS.items()}
    hidden[GATED] = (gates[0] * z_QxU, gates[1] * z_without_QxU)
    sigmas = {("secant_activation", GATED): gates[0], ("frozen_activation", GATED): gates[1]}
    for name, activation in ACTIVATIONS.items():
        sigmas["secant_activation", name] = dual.secant(activation, z_QxU)
        sigmas["tangent_activation", name] = jax.vmap(jax.vmap(jax.grad(activation)))(z_QxU)
        sigmas["frozen_activation", name] = dual.secant(activation, z_without_QxU)
    linearized = {}
    for (identity, name), sigma_QxU in sigmas.items():
        map_QxCxC = w_out_CxU[None] @ (sigma_QxU[:, :, None] * w_in_UxC[None])
        constant_QxC = (sigma_QxU * bias_U[None]) @ w_out_CxU.T
        full_QxC, without_QxC = (each @ w_out_CxU.T for each in hidden[name])
        linearized[identity, name] = Linearized(map_QxCxC, constant_QxC, full_QxC, without_QxC)
    del linearized["tangent_activation", "ReLU"]  # the tangent of a ReLU is its secant
    return linearized


def layer_norm(h_QxC, h_without_QxC, weights: Weights) -> dict[tuple[str, str], Linearized]:
    """Linearize norm(x + h) with the residual x, by the scale of its input, and by the scale without demonstrations.

    Args:
        h_QxC, h_without_QxC: attention's output, with and without demonstrations.

    Returns:
        {(identity, "kernel"): its linearization}.
    """
    x_QxC, width = weights.residual_QxC, h_QxC.shape[-1]
    full_QxC, without_QxC = (jax.nn.standardize(x_QxC + h, epsilon=0.0) for h in (h_QxC, h_without_QxC))
    linearized = {}
    for identity, h in {"layer_norm": h_QxC, "frozen_layer_norm": h_without_QxC}.items():
        scale_Q = jnp.std(x_QxC + h, axis=-1)
        map_QxCxC = (jnp.eye(width) - 1 / width)[None] / scale_Q[:, None, None]
        constant_QxC = jnp.einsum("qcd,qd->qc", map_QxCxC, x_QxC)
        linearized[identity, "kernel"] = Linearized(map_QxCxC, constant_QxC, full_QxC, without_QxC)
    return linearized
