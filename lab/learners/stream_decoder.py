"""A decoder of click streams: every prompt holds n interactions to look back on and k targets [DTI].

    h <- h + W_O attention(norm(h)),   h <- h + MLP(norm(h))

in each layer, for tokens and for [SUM]s with the same weights; [SUM]s see tokens, and tokens do not see them. The
answer to a target is read off its [SUM]. Norms are root-mean-square norms, and nothing has a bias.

Shape suffixes: M interactions, c tokens of each, k targets, D width, H heads, A width of a head.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from lab.attention import reset
from lab.attention.banded import Geometry, Keys, Queries, attend
from lab.attention.positions.alibi import Alibi
from lab.config.choices import Position
from lab.layouts import stream as streams
from lab.learners.decoder import POSITIONS
from lab.learners.learner import Fixed, Learner
from lab.learners.stream_schemes import Scheme, Summary
from tasks.episode import Prompt


@dataclasses.dataclass(frozen=True)
class StreamShape:
    """All that is static about such a decoder."""

    scheme: Scheme
    num_context: int  # n, the window
    num_targets: int  # k, of a prompt
    longest: int  # the most targets that a prompt may ever have, for learned positions
    num_features: int  # F
    vocabulary: int  # of features
    width: int = 32  # D
    num_layers: int = 3
    num_heads: int = 4
    mlp_width: int = 128
    positions: Position = Position.rope
    block: int | None = None  # interactions of a block of banded attention; None: one, of the whole prompt

    @property
    def head_width(self) -> int:
        """A."""
        return self.width // self.num_heads


class StreamBlock(nnx.Module):
    """The weights of one layer; they have variance init_scale / fan-in."""

    def __init__(self, shape: StreamShape, key: jax.Array, init_scale: float | jax.Array):
        width, heads, head, hidden = shape.width, shape.num_heads, shape.head_width, shape.mlp_width
        keys = jax.random.split(key, 6)

        def weights(key: jax.Array, *size: int, fan_in: int = width) -> nnx.Param:
            return nnx.Param(jnp.sqrt(init_scale / fan_in) * jax.random.normal(key, size))

        self.attention_norm, self.mlp_norm = norm(width), norm(width)
        self.w_q, self.w_k, self.w_v = (weights(each, width, heads, head) for each in keys[:3])
        self.w_o = weights(keys[3], heads, head, width)
        self.w_in, self.w_out = weights(keys[4], width, hidden), weights(keys[5], hidden, width, fan_in=hidden)

    def projected(self, x_McD: jax.Array, *names: str) -> list[jax.Array]:
        """Those of q, k and v of tokens, (M, c, H, A); the scale of the scores is in queries and keys."""
        inputs = self.attention_norm(x_McD)
        scale = {"q": self.w_q.shape[-1] ** -0.25, "k": self.w_k.shape[-1] ** -0.25, "v": 1.0}
        return [scale[name] * jnp.einsum("mcd,dha->mcha", inputs, getattr(self, f"w_{name}")[...]) for name in names]

    def after(self, x_McD: jax.Array, attended_McHA: jax.Array) -> jax.Array:
        """The tokens after the layer."""
        x_McD = x_McD + jnp.einsum("mcha,had->mcd", attended_McHA, self.w_o[...])
        return x_McD + jax.nn.gelu(self.mlp_norm(x_McD) @ self.w_in[...]) @ self.w_out[...]


class StreamDecoder(Learner):
    """Answers every query of a prompt as `tasks.tastes` makes them, which has the queries' interactions at the end of
    its context: k at a time, from the n interactions before the first of these and from each other. It honours a prompt
    in which a query sees what is before it."""

    honours_visible = True

    def __init__(
        self,
        shape: StreamShape,
        key: jax.Array,
        init_scale: float | jax.Array = 1.0,
        bounds: tuple[float, float] | jax.Array = (0.0, 1.0),
    ):
        """bounds: ymin and ymax of a reset."""
        self.shape = shape
        keys, width = jax.random.split(key, 6), shape.width
        self.blocks = nnx.List(
            [StreamBlock(shape, each, init_scale) for each in jax.random.split(keys[0], shape.num_layers)]
        )
        self.features = nnx.Param(jax.random.normal(keys[1], (shape.vocabulary, width)))
        self.labels = nnx.Param(jax.random.normal(keys[2], (2, width)))
        self.summary = nnx.Param(jax.random.normal(keys[3], (width,)))
        length = (shape.num_context + shape.longest) * (shape.num_features + 2)
        self.positions = POSITIONS[shape.positions](length, width, keys[4])
        self.norm = norm(width)
        self.w_answer = nnx.Param(jnp.sqrt(init_scale / width) * jax.random.normal(keys[5], (width, 2)))
        self.bounds = Fixed(jnp.asarray(bounds, float))

    def __call__(self, prompt: Prompt) -> jax.Array:
        queries = len(prompt.query.x)
        cut = streams.cut(prompt, self.shape.num_context, self.shape.num_targets)
        answers_QxA = jax.vmap(self.logits)(cut).reshape(-1, 2)[:queries]
        return jnp.where(_sees_all_before(prompt)[:, None], answers_QxA, jnp.nan)

    def logits(self, stream: streams.Stream, shift_McD: jax.Array | None = None) -> jax.Array:
        """(k, 2): logits of no click and of a click on each target of one prompt.

        shift_McD: added to the embeddings of the tokens; to differentiate with respect to these.
        """
        scheme, layers = self.shape.scheme, self.shape.num_layers
        places, present = streams.positions(stream, scheme.count_summaries), stream.present
        embedded = self._embed(stream, places)
        tokens = embedded = embedded if shift_McD is None else embedded + shift_McD
        own = tokens  # what it would be by itself
        summaries = self._embed_summaries(places)
        for layer, block in enumerate(self.blocks):
            limits = scheme.reach.limits(self.shape.num_context, layer, layers)
            before = own if scheme.reset is not None and scheme.reset.towards is reset.Towards.own else embedded
            see = functools.partial(self._see, block, layer, tokens, before, places, present)
            new_summaries = block.after(summaries, see(summaries, limits[1], is_summary=True))
            new_tokens = block.after(tokens, see(tokens, limits[0], is_summary=False))
            if before is own:
                alone = self._see(block, 0, own, own, places, present, own, 0, is_summary=False)
                own = block.after(own, alone)
            tokens, summaries = new_tokens, new_summaries
        return self.norm(summaries[:, 0]) @ self.w_answer[...]

    def packed(self, num_targets: int) -> "StreamDecoder":
        """The same decoder with prompts of so many targets; of one alone, attention has a single block."""
        return self._with(num_targets=num_targets, **({"block": None} if num_targets == 1 else {}))

    def in_blocks(self, block: int | None) -> "StreamDecoder":
        """The same decoder with attention in blocks of so many interactions; None: in one."""
        return self._with(block=block)

    def at_test(self) -> "StreamDecoder":
        """The same decoder without what its scheme does in training alone."""
        return self._with(scheme=self.shape.scheme.at_test)

    def _with(self, **changes) -> "StreamDecoder":
        graph, state = nnx.split(self)
        changed = nnx.merge(graph, state)
        changed.shape = dataclasses.replace(self.shape, **changes)
        return changed

    def _embed(self, stream: streams.Stream, places: streams.Positions) -> jax.Array:
        """(M, c, D)."""
        features = self.features[...][jnp.maximum(stream.tokens, 0)]
        labels = self.labels[...][jnp.maximum(stream.labels, 0)]
        return self.positions.embed(jnp.concatenate([features, labels[:, None]], axis=1), places.tokens)

    def _embed_summaries(self, places: streams.Positions) -> jax.Array:
        """(k, 1, D)."""
        count = len(places.summaries)
        summaries = jnp.broadcast_to(self.summary[...], (count, 1, self.shape.width))
        if self.shape.scheme.summary is not Summary.same:
            return summaries
        return self.positions.embed(summaries, places.summaries[:, None])

    def _see(self, block, layer, tokens, before, places, present, x_McD, limit, is_summary: bool) -> jax.Array:
        """What the tokens x, or the [SUM]s x, get from the tokens, (M, c, H, A)."""
        scheme, shape = self.shape.scheme, self.shape
        summary = scheme.summary if is_summary else Summary.same
        rotated_queries, rotated_keys = summary is Summary.same, summary is not Summary.alibi
        keys, values = block.projected(tokens, "k", "v")
        resets = scheme.reset is not None and scheme.reset.applies(layer, shape.num_layers, is_summary)
        other = block.projected(before, "k", "v") if resets else None
        if rotated_keys:
            keys = self._rotate(keys, places.tokens)
            other = other and [self._rotate(other[0], places.tokens), other[1]]
        positions = places.summaries[:, None] if is_summary else places.tokens
        (q,) = block.projected(x_McD, "q")
        own = None
        if is_summary:
            own_key, own_value = block.projected(x_McD, "k", "v")
            own = (self._rotate(own_key, positions) if rotated_queries else own_key, own_value)
        queries = Queries(self._rotate(q, positions) if rotated_queries else q, positions, own)
        slots = tuple(range(0, 2 * shape.num_features + 1, 2))  # features, then the label
        geometry = Geometry(
            first=len(tokens) - len(x_McD),
            query_order=(slots[-1] - 1,) if is_summary else slots,
            key_order=slots,
            limit=limit,
        )
        alibi = self.positions.bias if summary is Summary.same else _alibi
        has_bias = summary is not Summary.same or isinstance(self.positions, Alibi)
        return attend(
            queries,
            Keys(keys, values, places.tokens, present, other and tuple(other)),
            geometry,
            block=shape.block,
            bias=functools.partial(alibi, shape.num_heads) if has_bias else None,
            weight=lambda distance: reset.weight(distance, shape.num_context, self.bounds[...]),
        )

    def _rotate(self, vectors_McHA: jax.Array, positions_Mc: jax.Array) -> jax.Array:
        flat = vectors_McHA.reshape(-1, *vectors_McHA.shape[2:])
        return (
            self.positions.rotate(flat.swapaxes(0, 1), positions_Mc.reshape(-1))
            .swapaxes(0, 1)
            .reshape(vectors_McHA.shape)
        )


def norm(width: int) -> nnx.RMSNorm:
    """Root-mean-square norm, of the precision of everything else."""
    return nnx.RMSNorm(width, param_dtype=jnp.result_type(float), rngs=nnx.Rngs(0))


def _alibi(num_heads: int, positions_T: jax.Array, positions_S: jax.Array) -> jax.Array:
    return Alibi.bias(None, num_heads, positions_T, positions_S)


def _sees_all_before(prompt: Prompt) -> jax.Array:
    """(Q,)."""
    interactions, queries = len(prompt.answers), len(prompt.query.x)
    if prompt.visible is None:
        return jnp.ones(queries, bool)
    place_Q = np.arange(interactions - queries, interactions)
    return jnp.all(prompt.visible == (np.arange(interactions)[None] < place_Q[:, None]), axis=1)
