"""Layer-causal gradient descent (Deutch et al. 2023, arXiv 2311.07772, sections 4.3 and 4.4): no layer learns from
those above it, as none reads them in context.

With the head U (the last norm and the table of words) and x_l, the tokens that layer l reads, its loss is

    loss_l = cross-entropy of U(layer_l(stop_gradient(x_l))), with U fixed,

and a step is one of gradient descent on the sum of loss_l over all layers. As x_l is constant in loss_l, the step of
layer l depends on layers up to l alone, and that of the last layer is fine-tuning's own. The paper writes U of the
states after attention; here, as in its program, they are those behind the whole layer, with its MLP. All else is as in
`tuning`.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct

from experiments.demonstrations.language_finetune import tuning
from lab.language.model import LanguageModel


@struct.dataclass
class _Detached(LanguageModel):
    """The same model; no derivative goes from a layer to those below it."""

    def _block(self, x_TxD: jax.Array, *further: Any) -> dict[str, jax.Array]:
        return super()._block(jax.lax.stop_gradient(x_TxD), *further)


def loss_of(model: LanguageModel, tokens_T: jax.Array, weights_T: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the sum of the losses of all layers in nats, and the inputs of attention (L, T, D)."""
    detached, visibility = _Detached(model.arch, model.params, model.remat), model.visibility(len(tokens_T))
    x_TxD = model.embed(tokens_T, visibility.positions)
    layers = detached.forward(x_TxD, visibility, None, ("inputs", "outputs"))

    @jax.checkpoint  # logits of one layer are kept at a time
    def of_layer(outputs_TxD: jax.Array) -> jax.Array:
        return tuning.cross_entropy(model, outputs_TxD, tokens_T, weights_T)

    return jnp.sum(jax.lax.map(of_layer, layers["outputs"])), layers["inputs"]


fine_tuned = functools.partial(tuning.fine_tuned, loss=loss_of)
