"""A causal Transformer that learns in context: pre-LN blocks of attention and an MLP over the tokens of a prompt.

    x = learned instruction tokens, then the embedded tokens of the prompt (+ positions)
    x <- x + W_O attention(norm(x)),   x <- x + MLP(norm(x))      in each block
    answer = W_U norm(x) of each query's token

Queries of one prompt share its context and do not see each other.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from flax import nnx

from lab.learners import initial
from lab.learners.decoder_block import Attention, Block, KeyValues, Seen, norm
from lab.learners.decoder_shape import POSITIONS, Shape
from lab.learners.learner import Layered, Trace
from tasks.episode import Prompt


class Decoder(Layered):
    """Answers every query of a prompt from the examples that it sees, which must be the first ones of the context.

    A query for which an example is hidden, but not all examples after it, is answered NaN: the tokens of the later
    examples have attended to the hidden one.
    """

    honours_visible = True

    def __init__(self, shape: Shape, key: jax.Array, init_scale: float | jax.Array = 1.0):
        self.shape = shape
        keys = jax.random.split(key, 6)
        width, total, answer = shape.width, shape.layout.width, shape.layout.tokens.answer_dim
        self.blocks = nnx.List([Block(shape, k, init_scale) for k in jax.random.split(keys[0], shape.num_blocks)])
        # Features are embedded with the scale of a linear layer, answers with that of a table of vectors: a one-hot
        # answer has a single entry that is not zero.
        sizes_V = jnp.where(jnp.arange(total) < total - answer, (total - answer) ** -0.5, 1.0)
        self.w_embed = nnx.Param(sizes_V[None] * jax.random.normal(keys[1], (width, total)))
        self.kinds = nnx.Param(jax.random.normal(keys[2], (shape.layout.NUM_KINDS, width)))
        self.instructions = nnx.Param(jax.random.normal(keys[3], (shape.instructions, width)))
        self.positions = POSITIONS[shape.positions](shape.length, width, keys[4])
        self.norm = norm(width)
        self.w_answer = initial.normal(keys[5], answer, width, init_scale=init_scale, fan_in=width)

    def __call__(self, prompt: Prompt) -> jax.Array:
        x_TxD, visibility, honest_Q = self.tokens(prompt)
        count = len(x_TxD) - len(honest_Q)
        if len(honest_Q) <= count:
            return self.together(x_TxD, visibility, honest_Q)
        # Else most scores would be of queries with queries, none of which count.
        context = key_values(self.forward(x_TxD[:count], visibility.among(slice(count))))
        return self.after(context, x_TxD, visibility, honest_Q)

    def together(self, x_TxD: jax.Array, visibility: Seen, honest_Q: jax.Array) -> jax.Array:
        """Return the answers (Q, A) from one pass over all tokens of a prompt."""
        return self.answers(self.outputs(x_TxD, visibility, slice(len(x_TxD) - len(honest_Q), None)), honest_Q)

    def answer(self, prompt: Prompt, context: KeyValues) -> jax.Array:
        """Return the answers (Q, A) to queries that see themselves and these keys and values of the context.

        context: keys and values, (L, G, S, A) each, in place of those that the context's own tokens have.
        """
        return self.after(context, *self.tokens(prompt))

    def after(self, context: KeyValues, x_TxD: jax.Array, visibility: Seen, honest_Q: jax.Array) -> jax.Array:
        """Return the answers (Q, A) as `answer` does, to the queries among the tokens of a prompt.

        They are taken in blocks that are no longer than the context, each behind the context alone: scores of a query
        with queries, which do not count, are no more than those with the context.
        """
        count, queries = len(x_TxD) - len(honest_Q), len(honest_Q)
        blocks = -(-queries // max(count, 1))
        size = -(-queries // blocks)
        itself = jnp.concatenate([jnp.ones((size, count), bool), jnp.eye(size, dtype=bool)], axis=1)

        def one_block(first: jax.Array) -> jax.Array:
            own = count + jnp.minimum(first + jnp.arange(size), queries - 1)  # the last one again in the last block
            keys = jnp.concatenate([jnp.arange(count), own])
            bias = None if visibility.bias is None else visibility.bias[:, own][:, :, keys]
            alone = Seen(itself & visibility.mask[own][:, keys], visibility.positions[own], bias)
            return self.forward(x_TxD[own], alone, context)["outputs"][-1]

        x_BxSxD = jax.vmap(one_block)(size * jnp.arange(blocks))
        return self.answers(x_BxSxD.reshape(-1, x_TxD.shape[1])[:queries], honest_Q)

    def readouts(self, prompt: Prompt) -> jax.Array:
        return self.trace(prompt).readouts

    def trace(self, prompt: Prompt) -> Trace:
        """Return the forward pass over T = S tokens: the instructions, those of the context, then one per query."""
        x_TxD, visibility, honest_Q = self.tokens(prompt)
        layers = self.forward(x_TxD, visibility)
        readouts = jax.vmap(self.answers, in_axes=(0, None))(layers["outputs"], honest_Q)
        return Trace(readouts, mask=visibility.mask, **layers)

    def forward(self, x_TxD: jax.Array, visibility: Seen, history: KeyValues | None = None) -> dict[str, jax.Array]:
        """Return the results of all blocks, with an axis of layers in front.

        history: keys and values of other tokens, (L, G, S, A) each.
        """
        layers = []
        for layer, block in enumerate(self.layers()):
            past = jax.tree.map(lambda each, layer=layer: each[layer], history)
            layers.append(block(x_TxD, visibility, self.positions, past))
            x_TxD = layers[-1]["outputs"]
        return jax.tree.map(lambda *each: jnp.stack(each), *layers)

    def outputs(self, x_TxD: jax.Array, visibility: Seen, rows: slice) -> jax.Array:
        """Return the tokens of some rows after the last layer, (R, D), without what `forward` computes beside them."""
        *earlier, last = self.layers()
        for block in earlier:
            x_TxD = block.outputs(x_TxD, visibility, self.positions, slice(None))
        return last.outputs(x_TxD, visibility, self.positions, rows)

    def layers(self) -> list[Block]:
        """Return the block of each layer, L of them."""
        return [*self.blocks] * (self.shape.num_layers // self.shape.num_blocks)

    def tokens(self, prompt: Prompt) -> tuple[jax.Array, Seen, jax.Array]:
        """Return the tokens before the first layer (T, D), how they see one another, and which queries can be answered.

        The last is (Q,) bool: False where the answer would depend on hidden examples.
        """
        sequence, instructions = self.shape.layout.sequence(prompt), self.shape.instructions
        embedded = sequence.vectors @ self.w_embed[...].T + self.kinds[...][sequence.kinds]
        positions_T = jnp.concatenate([jnp.arange(instructions), instructions + sequence.positions])
        x_TxD = self.positions.embed(jnp.concatenate([self.instructions[...], embedded]), positions_T)
        mask_TxT = _behind_instructions(sequence.mask, instructions)
        bias = self.positions.bias(self.shape.num_heads, positions_T, positions_T)
        return x_TxD, Seen(mask_TxT, positions_T, bias), sequence.is_honest

    def answers(self, x_TxD: jax.Array, honest_Q: jax.Array) -> jax.Array:
        """Return the answers (Q, A), read off the queries' tokens, which are the last ones; NaN where not honest."""
        answers_QxA = self.norm(x_TxD[-len(honest_Q) :]) @ self.w_answer[...].T
        return jnp.where(honest_Q[:, None], answers_QxA, jnp.nan)


def key_values(layers: dict[str, jax.Array]) -> KeyValues:
    """Return the keys and values among what `Decoder.forward` returns."""
    return layers["keys"], layers["values"]


def with_attention(decoder: Decoder, attention: Sequence[Attention]) -> Decoder:
    """Return the decoder with other attention, one per block; arrays in an attention have an axis of heads in front."""
    graph, state = nnx.split(decoder)
    changed = nnx.merge(graph, state)
    for block, each in zip(changed.blocks, attention, strict=True):
        block.attention = nnx.data(each)
    return changed


def _behind_instructions(mask_TxT: jax.Array, count: int) -> jax.Array:
    """Return the mask with `count` instructions in front, which are causal; other tokens see all of them."""
    first = jnp.tril(jnp.ones((count, count), bool))
    to_others = jnp.zeros((count, len(mask_TxT)), bool)
    return jnp.block([[first, to_others], [jnp.ones((len(mask_TxT), count), bool), mask_TxT]])
