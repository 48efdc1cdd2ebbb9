"""A causal Transformer that learns in context: pre-LN blocks of attention and an MLP over the tokens of a prompt.

    x = learned instruction tokens, then the embedded tokens of the prompt (+ positions)
    x <- x + W_O attention(norm(x)),   x <- x + MLP(norm(x))      in each block
    answer = W_U norm(x) of each query's token

Queries of one prompt share its context and do not see each other. Scores are q . k, with a factor A^(-1/4) in each of
q and k; heads of one group share keys and values (Ainslie et al. 2023). A block may be given a history: keys and values
of other tokens, which are put in front of its own.
"""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Protocol

import jax
import jax.numpy as jnp
from flax import nnx, struct

from lab.attention.linear import Linear
from lab.attention.positions.alibi import Alibi
from lab.attention.positions.learned import Learned
from lab.attention.positions.none import Positions
from lab.attention.positions.rope import Rope
from lab.attention.softmax import Softmax
from lab.config.choices import AttentionKind, Position
from lab.layouts.masks import Causal
from lab.layouts.sequence import SequenceLayout
from lab.learners import initial
from lab.learners.layer_norm import LayerNorm
from lab.learners.learner import Layered, Trace
from tasks.episode import Prompt


class Attention(Protocol):
    """The attention of one head, as `lab.attention.softmax` describes it."""

    def __call__(
        self,
        q_TxA: jax.Array,
        k_SxA: jax.Array,
        v_SxC: jax.Array,
        mask_TxS: jax.Array | None = None,
        bias_TxS: jax.Array | None = None,
    ) -> jax.Array: ...


class Settings(Protocol):
    """The settings of a decoder: a dataclass whose fields have names of `Shape`, `num_heads` among them."""

    num_heads: int


ATTENTION: dict[AttentionKind, Callable[[], Attention]] = {
    AttentionKind.softmax: Softmax,
    AttentionKind.linear: Linear,
}
POSITIONS: dict[Position, type[Positions]] = {
    Position.none: Positions,
    Position.learned: Learned,
    Position.rope: Rope,
    Position.alibi: Alibi,
}
CAUSAL = Causal()


@dataclasses.dataclass(frozen=True)
class Shape:
    """The static description of a decoder: everything but its weights."""

    layout: SequenceLayout
    num_context: int  # N, the largest number of examples in a prompt
    width: int = 64  # D
    num_layers: int = 3
    num_heads: int = 4
    num_groups: int = 4  # G, groups of heads that share keys and values; if equal to num_heads, no heads share
    mlp_width: int = 256
    instructions: int = 4  # number of learned tokens in front of every prompt
    attention: AttentionKind = AttentionKind.softmax
    positions: Position = Position.none
    mask: Causal = CAUSAL
    recurrent: bool = False  # one block, applied num_layers times

    @classmethod
    def of(cls, model: Settings, layout: SequenceLayout, num_context: int, **others) -> "Shape":
        """Return the shape of a decoder with these settings.

        Args:
            model: gives every field that it has; `num_groups` None means that no heads share keys and values.
            others: values of fields, which take precedence over those of `model`.
        """
        options = {f.name: getattr(model, f.name) for f in dataclasses.fields(cls) if hasattr(model, f.name)}
        options["num_groups"] = options.get("num_groups") or model.num_heads
        return cls(**options | {"layout": layout, "num_context": num_context} | others)

    @property
    def head_width(self) -> int:
        """Return A, the width of one head."""
        return self.width // self.num_heads

    @property
    def num_blocks(self) -> int:
        """Return how many blocks have weights of their own."""
        return 1 if self.recurrent else self.num_layers

    @property
    def length(self) -> int:
        """Return the number of positions in the longest prompt: instructions, context, and one query after them."""
        return self.instructions + self.layout.PER_EXAMPLE * self.num_context + 1


@struct.dataclass
class Seen:
    """The mask, positions and bias by which the tokens of a sequence attend to one another, the same in all blocks.

    mask: (T, S) bool, True where token t sees token s. S = T, or more with a history, whose tokens come first.
    positions: (T,). bias: (H, T, S), added to the scores, or None.
    """

    mask: jax.Array
    positions: jax.Array
    bias: jax.Array | None

    def of(self, rows: slice) -> "Seen":
        """Return what some of the tokens see."""
        return Seen(self.mask[rows], self.positions[rows], None if self.bias is None else self.bias[:, rows])

    def among(self, rows: slice) -> "Seen":
        """Return what some of the tokens see of one another."""
        bias = None if self.bias is None else self.bias[:, rows, rows]
        return Seen(self.mask[rows, rows], self.positions[rows], bias)


KeyValues = tuple[jax.Array, jax.Array]  # keys and values of one layer, (G, S, A) each, or of all layers, (L, G, S, A)


class Block(nnx.Module):
    """One block: x + W_O attention(norm(x)), then x + MLP(norm(x)). Weights have variance init_scale / fan-in."""

    def __init__(self, shape: Shape, key: jax.Array, init_scale: float | jax.Array):
        width, head, heads, groups = shape.width, shape.head_width, shape.num_heads, shape.num_groups
        keys = jax.random.split(key, 6)
        weights = functools.partial(initial.normal, init_scale=init_scale, fan_in=width)
        self.attention_norm, self.mlp_norm = norm(width), norm(width)
        self.w_q, self.w_k = weights(keys[0], heads, head, width), weights(keys[1], groups, head, width)
        self.w_v, self.w_o = weights(keys[2], groups, head, width), weights(keys[3], heads, width, head)
        self.w_in = weights(keys[4], shape.mlp_width, width)
        self.w_out = weights(keys[5], width, shape.mlp_width, fan_in=shape.mlp_width)
        self.b_in, self.b_out = nnx.Param(jnp.zeros(shape.mlp_width)), nnx.Param(jnp.zeros(width))
        self.attention = nnx.data(ATTENTION[shape.attention]())

    def __call__(
        self, x_TxD: jax.Array, visibility: Seen, positions: Positions, history: KeyValues | None = None
    ) -> dict[str, jax.Array]:
        """Return the arrays that `Trace` holds of one layer, by their names there.

        `outputs` are the tokens after the block. `keys` and `values` are those of the tokens, without the history.
        """
        inputs_TxD = self.attention_norm(x_TxD)
        q_HxTxA, k_GxTxA, v_GxTxA = self.projected(inputs_TxD, visibility, positions)
        attended = [k_GxTxA, v_GxTxA]
        if history is not None:
            attended = [jnp.concatenate(each, axis=1) for each in zip(history, attended, strict=True)]
        k_HxSxA, v_HxSxA = (self.by_head(each, len(q_HxTxA)) for each in attended)
        attended_TxD = self.attended(q_HxTxA, k_HxSxA, v_HxSxA, visibility)
        x_TxD = x_TxD + attended_TxD
        scores_HxTxS = q_HxTxA @ k_HxSxA.mT
        if visibility.bias is not None:
            scores_HxTxS = scores_HxTxS + visibility.bias
        return {
            "outputs": x_TxD + self.mlp(x_TxD),
            "scores": scores_HxTxS,
            "keys": k_GxTxA,
            "values": v_GxTxA,
            "inputs": inputs_TxD,
            "attended": attended_TxD,
        }

    def outputs(self, x_TxD: jax.Array, visibility: Seen, positions: Positions, rows: slice) -> jax.Array:
        """Return the tokens of some rows after the block, (R, D): those of the others take no work but as keys."""
        q_HxTxA, k_GxTxA, v_GxTxA = self.projected(self.attention_norm(x_TxD), visibility, positions)
        k_HxTxA, v_HxTxA = (self.by_head(each, len(q_HxTxA)) for each in (k_GxTxA, v_GxTxA))
        x_RxD = x_TxD[rows] + self.attended(q_HxTxA[:, rows], k_HxTxA, v_HxTxA, visibility.of(rows))
        return x_RxD + self.mlp(x_RxD)

    def attended(self, q_HxTxA: jax.Array, k_HxSxA: jax.Array, v_HxSxA: jax.Array, visibility: Seen) -> jax.Array:
        """Return what attention adds to the tokens of the queries, (T, D)."""
        bias_axis = None if visibility.bias is None else 0
        out_HxTxA = jax.vmap(_attend, in_axes=(0, 0, 0, 0, None, bias_axis))(
            self.attention, q_HxTxA, k_HxSxA, v_HxSxA, visibility.mask, visibility.bias
        )
        return jnp.einsum("hta,hda->td", out_HxTxA, self.w_o[...])

    def projected(
        self, inputs_TxD: jax.Array, visibility: Seen, positions: Positions
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return queries (H, T, A), keys and values (G, T, A); queries and keys hold the scale of the scores."""
        q, k, v = (jnp.einsum("td,had->hta", inputs_TxD, w[...]) for w in (self.w_q, self.w_k, self.w_v))
        scale, places_T = q.shape[-1] ** -0.25, visibility.positions
        return positions.rotate(scale * q, places_T), positions.rotate(scale * k, places_T), v

    def by_head(self, each_GxSxA: jax.Array, num_heads: int) -> jax.Array:
        """Return keys or values of groups (G, S, A) repeated for every head of a group, (H, S, A)."""
        return jnp.repeat(each_GxSxA, num_heads // len(each_GxSxA), axis=0)

    def mlp(self, x_TxD: jax.Array) -> jax.Array:
        """Return what the MLP adds to each token, (T, D)."""
        hidden = jax.nn.gelu(self.mlp_norm(x_TxD) @ self.w_in[...].T + self.b_in[...][None])
        return hidden @ self.w_out[...].T + self.b_out[...][None]


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
        mask_TxT = _behind_instructions(self.shape.mask(sequence), instructions)
        bias = self.positions.bias(self.shape.num_heads, positions_T, positions_T)
        return x_TxD, Seen(mask_TxT, positions_T, bias), self.shape.mask.honours(sequence)

    def answers(self, x_TxD: jax.Array, honest_Q: jax.Array) -> jax.Array:
        """Return the answers (Q, A), read off the queries' tokens, which are the last ones; NaN where not honest."""
        answers_QxA = self.norm(x_TxD[-len(honest_Q) :]) @ self.w_answer[...].T
        return jnp.where(honest_Q[:, None], answers_QxA, jnp.nan)


def key_values(layers: dict[str, jax.Array]) -> KeyValues:
    """Return the keys and values among what `Decoder.forward` returns."""
    return layers["keys"], layers["values"]


def norm(width: int) -> LayerNorm:
    """Return a layer norm with scale and bias, in JAX's default precision, as all other parameters."""
    return LayerNorm(width, param_dtype=jnp.result_type(float), rngs=nnx.Rngs(0))


def with_attention(decoder: Decoder, attention: Sequence[Attention]) -> Decoder:
    """Return the decoder with other attention, one per block; arrays in an attention have an axis of heads in front."""
    graph, state = nnx.split(decoder)
    changed = nnx.merge(graph, state)
    for block, each in zip(changed.blocks, attention, strict=True):
        block.attention = nnx.data(each)
    return changed


def _attend(attention: Attention, *arguments) -> jax.Array:
    return attention(*arguments)


def _behind_instructions(mask_TxT: jax.Array, count: int) -> jax.Array:
    """Return the mask with `count` instructions in front, which are causal; other tokens see all of them."""
    first = jnp.tril(jnp.ones((count, count), bool))
    to_others = jnp.zeros((count, len(mask_TxT)), bool)
    return jnp.block([[first, to_others], [jnp.ones((len(mask_TxT), count), bool), mask_TxT]])
