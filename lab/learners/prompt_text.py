"""What [LRGD] does to the text of a prompt, done to the tokens of a decoder: its learned instructions are the text.

* regularised text: the values of the instructions are shrunk by alpha in every layer (`shrunk`);
* the inverse prompt: instructions behind the demonstrations, in front of the queries (`Inverted`);
* leading text: further tokens in front, which are trained while the decoder stays as it is (`Prefixed`).

What has no counterpart here: the words. A regularising text that a language model writes, its reflections on a user's
choices, and the order of a list that it writes token by token are nothing that a decoder of vectors has.
"""

import dataclasses

import jax
import jax.numpy as jnp
from flax import nnx, struct

from lab.attention.positions.none import Positions
from lab.attention.shrunk import ShrunkValues
from lab.learners.decoder import Decoder, Seen, with_attention
from lab.learners.learner import Layered
from tasks.episode import Prompt


def shrunk(decoder: Decoder, alpha: float | jax.Array) -> Decoder:
    """The decoder with the values of its instructions times 1 - alpha in every layer."""
    shape = decoder.shape
    attention = ShrunkValues(jnp.full(shape.num_heads, alpha, float), shape.instructions)
    return with_attention(decoder, [attention] * shape.num_blocks)


class Inverted(Layered):
    """The decoder, which reads the demonstrations first and the instructions after them.

    Raises:
        ValueError: the decoder has positions, by which instructions would be told to stand in front.
    """

    honours_visible = True

    def __init__(self, decoder: Decoder):
        if type(decoder.positions) is not Positions:
            raise ValueError("instructions can be moved where a decoder has no positions")
        self.decoder = decoder

    def readouts(self, prompt: Prompt) -> jax.Array:
        decoder = self.decoder
        x_TxD, seen, honest_Q = decoder.tokens(prompt)
        count, first_query = decoder.shape.instructions, len(x_TxD) - len(honest_Q)
        places_T = jnp.arange(len(x_TxD))
        order_T = jnp.concatenate([places_T[count:first_query], places_T[:count], places_T[first_query:]])
        causal = jnp.tril(jnp.ones((first_query, first_query), bool))
        mask_TxT = (
            seen.mask[:, order_T].at[:first_query, :first_query].set(causal)
        )  # rows of queries stay where they are
        moved = Seen(mask_TxT, seen.positions[order_T], None)
        layers = decoder.forward(x_TxD[order_T], moved)
        return jax.vmap(decoder.answers, in_axes=(0, None))(layers["outputs"], honest_Q)


@struct.dataclass
class Frozen:
    """A module that no trainer changes: it holds no parameters, but their values."""

    leaves: tuple[jax.Array, ...]
    structure: jax.tree_util.PyTreeDef = struct.field(pytree_node=False)

    @classmethod
    def of(cls, module: nnx.Module) -> "Frozen":
        leaves, structure = jax.tree.flatten(module)
        return cls(tuple(leaves), structure)

    @property
    def module(self) -> nnx.Module:
        return jax.tree.unflatten(self.structure, self.leaves)


class Prefixed(Layered):
    """The decoder with `count` further tokens in front of its instructions, which alone can be trained. They start as
    instructions of a decoder do. Raises as `Inverted`."""

    honours_visible = True

    def __init__(self, decoder: Decoder, count: int, key: jax.Array):
        if type(decoder.positions) is not Positions:
            raise ValueError("tokens can be put in front where a decoder has no positions")
        self.decoder = nnx.data(Frozen.of(decoder))
        self.prefix = nnx.Param(jax.random.normal(key, (count, decoder.shape.width)))

    def readouts(self, prompt: Prompt) -> jax.Array:
        graph, state = nnx.split(self.decoder.module)
        longer = nnx.merge(graph, state)
        prefix_PxD = self.prefix[...]
        longer.shape = dataclasses.replace(longer.shape, instructions=longer.shape.instructions + len(prefix_PxD))
        longer.instructions = nnx.Param(jnp.concatenate([prefix_PxD, longer.instructions[...]]))
        return longer.readouts(prompt)
