"""The one layer of a trained stack, applied as often as wanted, each time damped ([VO23] A.6).

    e_j <- e_j + damping (layer(e)_j - e_j),   the answer minus the query's y-slot after each application

A layer that is a step of gradient descent of rate eta is then one of rate damping x eta, so a layer that was trained
for one step, whose rate is too large for many, can be applied many times.

In training, of one layer's change the query's y-slot alone is read, so what it writes into other slots stays as it was
drawn. `answers_only` leaves it out: tokens keep their features, as they do in gradient descent.
"""

import jax
import jax.numpy as jnp

from lab.learners.learner import Fixed, Layered
from lab.learners.linear_transformer import AttentionStack
from tasks.episode import Prompt


class Repeated(Layered):
    """Read out after each of `times` applications; `damping` () may be traced. answers_only: y-slots alone change.

    Raises:
        ValueError: the stack has several blocks, so there is no one layer to repeat.
    """

    def __init__(self, model: AttentionStack, times: int, damping: float | jax.Array = 1.0, answers_only: bool = False):
        if len(model.blocks) != 1:
            raise ValueError(f"a stack of {len(model.blocks)} blocks has no one layer to repeat")
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
            after = moved(e_NxD, e_NxD), moved(e_QxD, e_NxD)
            return after, -after[1][:, y_slot]

        return jax.lax.scan(application, (e_NxD, e_QxD), length=self.times)[1]
