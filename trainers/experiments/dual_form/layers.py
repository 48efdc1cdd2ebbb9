"""The dual model inside a layer: MLP, residual and layer norm behind attention [LRGD eqs. 12-14].

An MLP W_2 act(z), z = W_1 h + b, is linear in h for fixed z: W_2 Sigma W_1 h + W_2 Sigma b with the secant
Sigma = diag(act(z) / z). A layer norm is linear where its scale is fixed. So each answers as a dual model whose values are
the mapped values of the tokens, plus a vector that does not depend on the demonstrations.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from lab import dual
from lab.config.dual_form import DualForm
from tasks.draw import normal
from trainers.experiments.dual_form.forms import kernel_form
from trainers.experiments.dual_form.heads import QUERIES, Head, heads, prompt_of
from trainers.experiments.dual_form.rows import Measured, Statement, distance, lost_share

HIDDEN = 32  # units of the MLP
BIAS = 0.1  # standard deviation, beside pre-activations of about 1
ACTIVATIONS = {"ReLU": jax.nn.relu, "GELU": lambda z: jax.nn.gelu(z, approximate=False)}

TOPIC = "behind attention"
STATEMENTS = {
    "secant_activation": Statement(
        "An MLP is linear with Sigma = diag(act(z) / z) at the actual z.", "LRGD, eqs. 12-14"
    ),
    "tangent_activation": Statement(
        "With the slope act'(z) in place of act(z) / z it is another function.", relation="different"
    ),
    "frozen_activation": Statement(
        "With Sigma of the prompt without demonstrations, an MLP keeps a part of what they change.",
        relation="approximate",
        share=True,
    ),
    "flipped_signs": Statement(
        "The demonstrations flip the sign of some pre-activations.", relation="different", share=True
    ),
    "layer_norm": Statement(
        "A residual is a constant of the dual model, and a layer norm a linear map with the scale of its actual input."
    ),
    "frozen_layer_norm": Statement(
        "With the scale of the prompt without demonstrations, a layer norm keeps a part of what they change.",
        relation="approximate",
        share=True,
    ),
}


class Weights(NamedTuple):
    """U units of an MLP; the residual of each query."""

    w_in_UxC: jax.Array
    bias_U: jax.Array
    w_out_CxU: jax.Array
    residual_QxC: jax.Array


def measure(settings: DualForm) -> Measured:
    """The distances of the two sides of each identity, for every case."""
    width = settings.input_dim
    shapes = [(HIDDEN, width), (HIDDEN,), (width, HIDDEN), (QUERIES, width)]
    drawn = normal(jax.random.key(settings.seed + 1), *[(settings.cases, *shape) for shape in shapes])
    weights = Weights(drawn[0], BIAS * drawn[1], HIDDEN**-0.5 * drawn[2], drawn[3])

    @jax.jit
    def all_cases(drawn, weights, rate):
        def case(each, its_weights):
            head = prompt_of(settings, each)
            return mlp(head, its_weights, rate) | layer_norm(head, its_weights, rate)

        return jax.vmap(case)(drawn, weights)

    return all_cases(heads(settings), weights, jnp.asarray(settings.rate))


def mapped(head: Head, maps_QxCxC, rate) -> jax.Array:
    """The answers (Q, C) of dual models whose values are the tokens' by the linear map of each query."""

    def answer(query_A, c, map_CxC):
        each = head._replace(queries_QxA=query_A[None], values_SxC=head.values_SxC @ map_CxC.T)
        return kernel_form(each, c[None], head.demonstrations_S[None], rate)[0, 0]

    return jax.vmap(answer)(head.queries_QxA, head.normalizer, maps_QxCxC)


def without_demonstrations(head: Head) -> jax.Array:
    """Attention (Q, C) to the instruction tokens alone."""
    return head.without(head.demonstrations_S).attention


def mlp(head: Head, weights: Weights, rate) -> Measured:
    """W_2 act(W_1 h + b) by the secant, the tangent, and the secant of another input."""
    w_in_UxC, bias_U, w_out_CxU, _ = weights
    z_QxU, z_without_QxU = (
        h_QxC @ w_in_UxC.T + bias_U[None] for h_QxC in (head.attention, without_demonstrations(head))
    )

    def by(sigma_QxU):
        maps_QxCxC = w_out_CxU[None] @ (sigma_QxU[:, :, None] * w_in_UxC[None])
        return mapped(head, maps_QxCxC, rate) + (sigma_QxU * bias_U[None]) @ w_out_CxU.T

    measured = {name: {} for name in ("secant_activation", "tangent_activation", "frozen_activation")}
    for name, activation in ACTIVATIONS.items():
        full_QxC, without_QxC = (activation(z) @ w_out_CxU.T for z in (z_QxU, z_without_QxU))
        tangent_QxU = jax.vmap(jax.vmap(jax.grad(activation)))(z_QxU)
        measured["secant_activation"][name] = distance(by(dual.secant(activation, z_QxU)), full_QxC)
        if name != "ReLU":  # whose slope is its secant
            measured["tangent_activation"][name] = distance(by(tangent_QxU), full_QxC)
        frozen_QxC = by(dual.secant(activation, z_without_QxU))
        measured["frozen_activation"][name] = lost_share(frozen_QxC, full_QxC, without_QxC)
    flipped = jnp.mean(jnp.sign(z_QxU) != jnp.sign(z_without_QxU))
    return measured | {"flipped_signs": {"any activation": flipped}}


def layer_norm(head: Head, weights: Weights, rate) -> Measured:
    """norm(x + h) of the residual x, by a scale that is fixed."""
    x_QxC = weights.residual_QxC
    full_QxC, without_QxC = (
        jax.nn.standardize(x_QxC + h_QxC, epsilon=0.0) for h_QxC in (head.attention, without_demonstrations(head))
    )
    width = x_QxC.shape[-1]
    centre_CxC = jnp.eye(width) - 1 / width

    def by(input_QxC):
        maps_QxCxC = centre_CxC[None] / jnp.std(input_QxC, axis=-1)[:, None, None]
        return mapped(head, maps_QxCxC, rate) + jnp.einsum("qcd,qd->qc", maps_QxCxC, x_QxC)

    frozen_QxC = by(x_QxC + without_demonstrations(head))
    return {
        "layer_norm": {"kernel form": distance(by(x_QxC + head.attention), full_QxC)},
        "frozen_layer_norm": {"kernel form": lost_share(frozen_QxC, full_QxC, without_QxC)},
    }
