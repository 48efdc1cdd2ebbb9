"""The one layer of a trained stack, applied any number of times, each time damped ([VO23] A.6).

    e_j <- e_j + damping (layer(e)_j - e_j),   the answer minus the query's y-slot after each application

A layer that is a step of gradient descent of rate eta becomes one of rate damping x eta. So a layer that was trained
for one step, whose rate is too large for several, can be applied many times.

When a single layer is trained, only the query's y-slot is read, so the weights that write into other slots keep their
random initial values. `answers_only` leaves these writes out: tokens keep their features, as in gradient descent.
"""

import jax
import jax.numpy as jnp

from lab.learners.learner import Fixed, Layered
from lab.learners.linear_transformer import AttentionStack
from tasks.episode import Prompt


class Repeated(Layered):
    """Repeats the layer `times` times, with a readout after each application.

    damping: (), may be traced. answers_only: whether only the y-slots of tokens change.

    Raises:
        ValueError: the stack has several blocks, so there is no single layer to repeat.
    """

    def __init__(self, model: AttentionStack, times: int, damping: float | jax.Array = 1.0, answers_only: bool = False):
        if len(model.blocks) != 1:
            raise ValueError(f"a stack of {len(model.blocks)} blocks has no single layer that could be repeated")
        self.model, self.times, self.answers_only = model, times, answers_only
        self.damping = Fixed(jnp.asarray(damping))

    def readouts(self, prompt: Prompt) -> jax.Array:
        e_NxD, e_QxD, d_KxW = self.model.embed(prompt)
        attend, clip, y_slot = self.model.blocks[0].attend(), self.model.shape.clip, self.model.y_slot
        changed = y_slot if self.answers_only else slice(None)

        def moved(e_TxD: jax.Array, tokens_NxD: jax.Array) -> jax.Array:
            e_TxD = e_TxD.at[:, changed].add(self.damping[...] * attend(e_TxD, tokens_NxD, d_KxW, changed))
            return e_TxD if clip is None else jnp.clip(e_TxD, -clip, clip)

        def application(tokens: tuple[jax.Array, jax.Array], _):
            e_NxD, e_QxD = tokens
            updated = moved(e_NxD, e_NxD), moved(e_QxD, e_NxD)
            return updated, -updated[1][:, y_slot]

        return jax.lax.scan(application, (e_NxD, e_QxD), length=self.times)[1]
