"""A causal Transformer that learns in context: pre-LN blocks of attention and an MLP over the tokens of a prompt.

    x = embedding of what tokens show (+ positions), behind learned instruction tokens
    x <- x + W_O attention(norm(x)),   x <- x + MLP(norm(x))      in each block
    answer = W_U norm(x) of each query's token

Queries of one prompt share its context and do not see each other. Scores are q . k, with a factor A^(-1/4) in each of
q and k; heads of one group share keys and values (Ainslie et al. 2023). Blocks may be given a history, keys and values
of other tokens, that stand in front of their own.
"""

import dataclasses
import functools
from collections.abc import Callable, Sequence

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
from lab.learners.learner import Layered, Trace
from tasks.episode import Prompt

Attention = Callable[..., jax.Array]  # (q, k, v, mask, bias) -> out, of one head
ATTENTION: dict[AttentionKind, type[Attention]] = {AttentionKind.softmax: Softmax, AttentionKind.linear: Linear}
POSITIONS: dict[Position, type[Positions]] = {
    Position.none: Positions,
    Position.learned: Learned,
    Position.rope: Rope,
    Position.alibi: Alibi,
}


CAUSAL = Causal()


@dataclasses.dataclass(frozen=True)
class Shape:
    """All that is static about a decoder."""

    layout: SequenceLayout
    num_context: int  # N, the most examples that a prompt may have
    width: int = 64  # D
    num_layers: int = 3
    num_heads: int = 4
    num_groups: int = 4  # of heads that share keys and values; as many as heads: none share
    mlp_width: int = 256
    instructions: int = 4  # learned tokens in front of every prompt
    attention: AttentionKind = AttentionKind.softmax
    positions: Position = Position.none
    mask: Causal = CAUSAL
    recurrent: bool = False  # one block, applied num_layers times

    @classmethod
    def of(cls, model: object, layout: SequenceLayout, num_context: int, **others) -> "Shape":
        """What settings of a decoder say, a dataclass that has fields of these names, `num_groups` None for no groups;
        `others` come before them."""
        said = {f.name: getattr(model, f.name) for f in dataclasses.fields(cls) if hasattr(model, f.name)}
        said["num_groups"] = said.get("num_groups") or model.num_heads
        return cls(**said | {"layout": layout, "num_context": num_context} | others)

    @property
    def head_width(self) -> int:
        """A."""
        return self.width // self.num_heads

    @property
    def num_blocks(self) -> int:
        return 1 if self.recurrent else self.num_layers

    @property
    def length(self) -> int:
        """Positions of the longest prompt: those of the instructions, of the context, and of a query behind them."""
        return self.instructions + self.layout.PER_EXAMPLE * self.num_context + 1


@struct.dataclass
class Seen:
    """What all blocks need to know of a sequence besides its tokens.

    mask: (T, S), S = T unless there is a history, whose tokens come first. positions: (T,). bias: (H, T, S), or None.
    """

    mask: jax.Array
    positions: jax.Array
    bias: jax.Array | None


KeyValues = tuple[jax.Array, jax.Array]  # (G, S, A) each, or with the layers in front


class Block(nnx.Module):
    """x + W_O attention(norm(x)), then x + MLP(norm(x)). Weights have variance init_scale / fan-in."""

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
        self, x_TxD: jax.Array, seen: Seen, positions: Positions, history: KeyValues | None = None
    ) -> dict[str, jax.Array]:
        """What `Trace` holds of a layer, by its names there: the tokens after the block are its `outputs`. Its keys and
        values are those of the tokens, without the history."""
        inputs_TxD = self.attention_norm(x_TxD)
        q_HxTxA, k_GxTxA, v_GxTxA = self.projected(inputs_TxD, seen, positions)
        shown = (k_GxTxA, v_GxTxA)
        if history is not None:
            shown = [jnp.concatenate(each, axis=1) for each in zip(history, shown, strict=True)]
        k_HxSxA, v_HxSxA = (self.by_head(each, len(q_HxTxA)) for each in shown)
        bias_axis = None if seen.bias is None else 0
        out_HxTxA = jax.vmap(_attend, in_axes=(0, 0, 0, 0, None, bias_axis))(
            self.attention, q_HxTxA, k_HxSxA, v_HxSxA, seen.mask, seen.bias
        )
        attended_TxD = jnp.einsum("hta,hda->td", out_HxTxA, self.w_o[...])
        x_TxD = x_TxD + attended_TxD
        scores_HxTxS = q_HxTxA @ k_HxSxA.mT
        if seen.bias is not None:
            scores_HxTxS = scores_HxTxS + seen.bias
        return {
            "outputs": x_TxD + self.mlp(x_TxD),
            "scores": scores_HxTxS,
            "keys": k_GxTxA,
            "values": v_GxTxA,
            "inputs": inputs_TxD,
            "attended": attended_TxD,
        }

    def projected(self, inputs_TxD: jax.Array, seen: Seen, positions: Positions) -> tuple[jax.Array, ...]:
        """Queries (H, T, A), keys and values (G, T, A); the scale of the scores is in queries and keys."""
        q, k, v = (jnp.einsum("td,had->hta", inputs_TxD, w[...]) for w in (self.w_q, self.w_k, self.w_v))
        scale = q.shape[-1] ** -0.25
        return positions.rotate(scale * q, seen.positions), positions.rotate(scale * k, seen.positions), v

    def by_head(self, each_GxSxA: jax.Array, num_heads: int) -> jax.Array:
        """Keys or values of groups as those of heads, (H, S, A)."""
        return jnp.repeat(each_GxSxA, num_heads // len(each_GxSxA), axis=0)

    def mlp(self, x_TxD: jax.Array) -> jax.Array:
        """(T, D)."""
        hidden = jax.nn.gelu(self.mlp_norm(x_TxD) @ self.w_in[...].T + self.b_in[...][None])
        return hidden @ self.w_out[...].T + self.b_out[...][None]


class Decoder(Layered):
    """Answers every query of a prompt from the examples before it; a query that hides an example but not all behind it
    is answered NaN, since tokens between them hold what they have seen of it."""

    honours_visible = True

    def __init__(self, shape: Shape, key: jax.Array, init_scale: float | jax.Array = 1.0):
        self.shape = shape
        keys = jax.random.split(key, 6)
        width, shown, answer = shape.width, shape.layout.width, shape.layout.tokens.answer_dim
        self.blocks = nnx.List([Block(shape, k, init_scale) for k in jax.random.split(keys[0], shape.num_blocks)])
        # Of features as a linear layer, of answers as a table: in one-hot answers a single entry is not zero.
        sizes_V = jnp.where(jnp.arange(shown) < shown - answer, (shown - answer) ** -0.5, 1.0)
        self.w_embed = nnx.Param(sizes_V[None] * jax.random.normal(keys[1], (width, shown)))
        self.kinds = nnx.Param(jax.random.normal(keys[2], (shape.layout.NUM_KINDS, width)))
        self.instructions = nnx.Param(jax.random.normal(keys[3], (shape.instructions, width)))
        self.positions = POSITIONS[shape.positions](shape.length, width, keys[4])
        self.norm = norm(width)
        self.w_answer = initial.normal(keys[5], answer, width, init_scale=init_scale, fan_in=width)

    def readouts(self, prompt: Prompt) -> jax.Array:
        return self.trace(prompt).readouts

    def trace(self, prompt: Prompt) -> Trace:
        """The forward pass. Tokens: the instructions, the context's, then one per query; T = S of them."""
        x_TxD, seen, honest_Q = self.tokens(prompt)
        layers = self.forward(x_TxD, seen)
        readouts = jax.vmap(self.answers, in_axes=(0, None))(layers["outputs"], honest_Q)
        return Trace(readouts, mask=seen.mask, **layers)

    def forward(self, x_TxD: jax.Array, seen: Seen, history: KeyValues | None = None) -> dict[str, jax.Array]:
        """What each block gives, with the layers in front. history: of each layer, (L, G, S, A)."""
        layers = []
        for layer, block in enumerate(self.layers()):
            layers.append(block(x_TxD, seen, self.positions, jax.tree.map(lambda each, at=layer: each[at], history)))
            x_TxD = layers[-1]["outputs"]
        return jax.tree.map(lambda *each: jnp.stack(each), *layers)

    def layers(self) -> list[Block]:
        """The block of each layer."""
        return [*self.blocks] * (self.shape.num_layers // self.shape.num_blocks)

    def tokens(self, prompt: Prompt) -> tuple[jax.Array, Seen, jax.Array]:
        """The tokens before the first layer (T, D), who sees whom, and which queries (Q,) can be answered."""
        sequence, instructions = self.shape.layout.sequence(prompt), self.shape.instructions
        embedded = sequence.vectors @ self.w_embed[...].T + self.kinds[...][sequence.kinds]
        positions_T = jnp.concatenate([jnp.arange(instructions), instructions + sequence.positions])
        x_TxD = self.positions.embed(jnp.concatenate([self.instructions[...], embedded]), positions_T)
        mask_TxT = _behind_instructions(self.shape.mask(sequence), instructions)
        bias = self.positions.bias(self.shape.num_heads, positions_T, positions_T)
        return x_TxD, Seen(mask_TxT, positions_T, bias), self.shape.mask.honours(sequence)

    def answers(self, x_TxD: jax.Array, honest_Q: jax.Array) -> jax.Array:
        """(Q, A): what the queries' tokens, the last ones, say."""
        answers_QxA = self.norm(x_TxD[-len(honest_Q) :]) @ self.w_answer[...].T
        return jnp.where(honest_Q[:, None], answers_QxA, jnp.nan)


def norm(width: int) -> nnx.LayerNorm:
    """Layer norm with scale and bias, of the precision of everything else."""
    return nnx.LayerNorm(width, param_dtype=jnp.result_type(float), rngs=nnx.Rngs(0))


def with_attention(decoder: Decoder, attention: Sequence[Attention]) -> Decoder:
    """The same decoder whose blocks have other attention, one per block; arrays in them have the heads in front."""
    graph, state = nnx.split(decoder)
    changed = nnx.merge(graph, state)
    for block, each in zip(changed.blocks, attention, strict=True):
        block.attention = nnx.data(each)
    return changed


def _attend(attention: Attention, *arguments) -> jax.Array:
    return attention(*arguments)


def _behind_instructions(mask_TxT: jax.Array, count: int) -> jax.Array:
    """Instructions see those before them, all other tokens see all of them."""
    first = jnp.tril(jnp.ones((count, count), bool))
    to_others = jnp.zeros((count, len(mask_TxT)), bool)
    return jnp.block([[first, to_others], [jnp.ones((len(mask_TxT), count), bool), mask_TxT]])
