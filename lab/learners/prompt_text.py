"""The changes that [LRGD] makes to the text of a prompt, made to a decoder's learned instructions, which are its text.

* regularised text: the values of the instructions are shrunk by alpha in every layer (`shrunk`);
* the inverse prompt: instructions after the demonstrations, before the queries (`Inverted`);
* regularising text: further tokens in front, trained here while the decoder stays as it is (`Prefixed`).

A decoder of vectors has no words, so some methods of [LRGD] have no counterpart here: a text that
limits what a model may write, demonstrations that a model writes, and a list whose order it writes token by token.
"""

import dataclasses
from collections.abc import Hashable

import jax
import jax.numpy as jnp
from flax import nnx, struct

from lab.attention.positional import Positions
from lab.attention.scaled_values import ShrunkValues
from lab.learners.decoder import Decoder, with_attention
from lab.learners.decoder_block import Seen
from lab.learners.learner import Layered
from tasks.episode import Prompt


def shrunk(decoder: Decoder, alpha: float | jax.Array) -> Decoder:
    """Return the decoder with the values of its instructions times 1 - alpha in every layer."""
    shape = decoder.shape
    attention = ShrunkValues(jnp.full(shape.num_heads, alpha, float), shape.instructions)
    return with_attention(decoder, [attention] * shape.num_blocks)


class Inverted(Layered):
    """The decoder, which reads the demonstrations first and the instructions after them.

    Raises:
        ValueError: the decoder has positions, which would show where the instructions are.
    """

    honours_visible = True

    def __init__(self, decoder: Decoder):
        if type(decoder.positions) is not Positions:
            raise ValueError("instructions can be moved only where a decoder has no positions")
        self.decoder = decoder

    def readouts(self, prompt: Prompt) -> jax.Array:
        decoder = self.decoder
        x_TxD, visibility, honest_Q = decoder.tokens(prompt)
        count, first_query = decoder.shape.instructions, len(x_TxD) - len(honest_Q)
        places_T = jnp.arange(len(x_TxD))
        order_T = jnp.concatenate([places_T[count:first_query], places_T[:count], places_T[first_query:]])
        causal = jnp.tril(jnp.ones((first_query, first_query), bool))
        # The rows of queries stay in their places; all rows before them are the causal ones.
        mask_TxT = visibility.mask[:, order_T].at[:first_query, :first_query].set(causal)
        moved = Seen(mask_TxT, visibility.positions[order_T], None)
        layers = decoder.forward(x_TxD[order_T], moved)
        return jax.vmap(decoder.answers, in_axes=(0, None))(layers["outputs"], honest_Q)


@struct.dataclass
class Frozen:
    """A decoder that no trainer changes: it is stored as arrays that are not parameters."""

    leaves: tuple[jax.Array, ...]
    structure: Hashable = struct.field(pytree_node=False)  # of the decoder, as `jax.tree.flatten` gives it

    @classmethod
    def of(cls, decoder: Decoder) -> "Frozen":
        """Return the frozen form of a decoder."""
        leaves, structure = jax.tree.flatten(decoder)
        return cls(tuple(leaves), structure)

    @property
    def decoder(self) -> Decoder:
        """Return the decoder as a module."""
        return jax.tree.unflatten(self.structure, self.leaves)


class Prefixed(Layered):
    """The decoder with `count` further tokens in front of its instructions; only these tokens can be trained.

    They start as the instructions of a decoder do.

    Raises:
        ValueError: the decoder has positions, which the further tokens would shift.
    """

    honours_visible = True

    def __init__(self, decoder: Decoder, count: int, key: jax.Array):
        if type(decoder.positions) is not Positions:
            raise ValueError("tokens can be put in front only where a decoder has no positions")
        self.decoder = nnx.data(Frozen.of(decoder))
        self.prefix = nnx.Param(jax.random.normal(key, (count, decoder.shape.width)))

    def readouts(self, prompt: Prompt) -> jax.Array:
        graph, state = nnx.split(self.decoder.decoder)
        longer = nnx.merge(graph, state)
        prefix_PxD = self.prefix[...]
        longer.shape = dataclasses.replace(longer.shape, instructions=longer.shape.instructions + len(prefix_PxD))
        longer.instructions = nnx.Param(jnp.concatenate([prefix_PxD, longer.instructions[...]]))
        return longer.readouts(prompt)
