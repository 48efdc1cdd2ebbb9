"""A decoder of click streams, whose prompts hold n interactions to look back on and k targets [DTI].

    h <- h + W_O attention(norm(h)),   h <- h + MLP(norm(h))

in each layer, for tokens and for [SUM]s with the same weights; [SUM]s see tokens, and tokens do not see them. The
answer to a target is read off its [SUM]. Norms are root-mean-square norms, and nothing has a bias.

Shape suffixes: M interactions, c tokens of each, k targets, D width, H heads, A width of a head, Q queries.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from lab.attention.banded import Geometry, Keys, Queries, attend
from lab.attention.positional import Alibi
from lab.layouts import stream as streams
from lab.learners.decoder_shape import POSITIONS
from lab.learners.learner import Fixed, Learner
from lab.learners.stream_block import StreamBlock, norm
from lab.learners.stream_schemes import Summary, Towards, reset_weight
from lab.learners.stream_shape import StreamShape
from tasks.episode import Prompt


class StreamDecoder(Learner):
    """Answers the queries of a prompt of `tasks.click_streams`, with their interactions at the end of the context.

    It answers k queries at a time, from the n interactions before the first of them and from one another. A query that
    does not see exactly the interactions before it is answered NaN.
    """

    honours_visible = True

    def __init__(
        self,
        shape: StreamShape,
        key: jax.Array,
        init_scale: float | jax.Array = 1.0,
        bounds: tuple[float, float] | jax.Array = (0.0, 1.0),
        slope: float | jax.Array = 1.0,
    ):
        """Create a decoder with weights of variance init_scale / fan-in.

        Args:
            bounds: ymin and ymax of a reset.
            slope: multiplies ALiBi's slopes for [SUM]s that have no position.
        """
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
        self.bounds, self.slope = (Fixed(jnp.asarray(each, float)) for each in (bounds, slope))

    def __call__(self, prompt: Prompt) -> jax.Array:
        queries = len(prompt.query.x)
        cut = streams.cut(prompt, self.shape.num_context, self.shape.num_targets)
        answers_QxA = jax.vmap(self.logits)(cut).reshape(-1, 2)[:queries]
        return jnp.where(_sees_all_before(prompt)[:, None], answers_QxA, jnp.nan)

    def logits(self, stream: streams.Stream, shift_McD: jax.Array | None = None) -> jax.Array:
        """Return the logits (k, 2) of no click and of a click on each target of one prompt.

        shift_McD: is added to the embeddings of the tokens, so that one can differentiate with respect to these.
        """
        scheme, shape = self.shape.scheme, self.shape
        places = streams.positions(stream, scheme.count_summaries)
        embedded = self._embed(stream, places)
        if shift_McD is not None:
            embedded = embedded + shift_McD
        tokens, summaries = embedded, self._embed_summaries(places)
        resets_to_own = scheme.reset is not None and scheme.reset.towards is Towards.own
        own = embedded  # the tokens of a forward pass in which each interaction sees itself alone
        for layer, block in enumerate(self.blocks):
            token_limit, summary_limit = scheme.reach.limits(shape.num_context, layer, shape.num_layers)
            earlier = own if resets_to_own else embedded
            attend_in = functools.partial(self._attend_in, block, layer, places, stream.present)
            new_tokens = block.after(tokens, attend_in(tokens, tokens, earlier, token_limit))
            attended = attend_in(summaries, tokens, earlier, summary_limit, is_summary=True)
            new_summaries = block.after(summaries, attended)
            if resets_to_own:
                own = block.after(own, attend_in(own, own, None, 0))
            tokens, summaries = new_tokens, new_summaries
        return self.norm(summaries[:, 0]) @ self.w_answer[...]

    def packed(self, num_targets: int) -> "StreamDecoder":
        """Return the decoder with prompts of `num_targets` targets; with one target, attention has a single block."""
        return self._with(num_targets=num_targets, **({"block": None} if num_targets == 1 else {}))

    def in_blocks(self, block: int | None) -> "StreamDecoder":
        """Return the decoder with attention in blocks of `block` interactions; None for a single block."""
        return self._with(block=block)

    def _with(self, **changes) -> "StreamDecoder":
        graph, state = nnx.split(self)
        changed = nnx.merge(graph, state)
        changed.shape = dataclasses.replace(self.shape, **changes)
        return changed

    def _embed(self, stream: streams.Stream, places: streams.Positions) -> jax.Array:
        """Return the tokens before the first layer, (M, c, D)."""
        features = self.features[...][jnp.maximum(stream.tokens, 0)]
        labels = self.labels[...][jnp.maximum(stream.labels, 0)]
        return self.positions.embed(jnp.concatenate([features, labels[:, None]], axis=1), places.tokens)

    def _embed_summaries(self, places: streams.Positions) -> jax.Array:
        """Return the [SUM]s before the first layer, (k, 1, D)."""
        count = len(places.summaries)
        summaries = jnp.broadcast_to(self.summary[...], (count, 1, self.shape.width))
        if self.shape.scheme.summary is not Summary.same:
            return summaries
        return self.positions.embed(summaries, places.summaries[:, None])

    def _attend_in(
        self,
        block: StreamBlock,
        layer: int,
        places: streams.Positions,
        present: jax.Array,
        x_McD: jax.Array,
        tokens: jax.Array,
        earlier: jax.Array | None,
        limit: int | None,
        is_summary: bool = False,
    ) -> jax.Array:
        """Return what the tokens or [SUM]s `x_McD` get by attending to `tokens` in one layer, (M, c, H, A).

        Args:
            present: (M, c) bool, which tokens exist.
            earlier: the states that `tokens` are mixed with where the layer resets; None for no mixing.
            limit: how many interactions they see back; None for all.
        """
        shape, scheme = self.shape, self.shape.scheme
        resets = scheme.reset is not None and scheme.reset.applies(layer, shape.num_layers, is_summary)
        has_id = not is_summary or scheme.summary is Summary.same
        rotates_keys = not is_summary or scheme.summary is not Summary.alibi

        def keys_and_values(x_McD: jax.Array, positions_Mc: jax.Array, rotates: bool) -> tuple[jax.Array, jax.Array]:
            keys, values = block.keys_and_values(x_McD)
            return self._rotate(keys, positions_Mc) if rotates else keys, values

        positions = places.summaries[:, None] if is_summary else places.tokens
        query = self._rotate(block.queries(x_McD), positions) if has_id else block.queries(x_McD)
        own = keys_and_values(x_McD, positions, has_id) if is_summary else None
        other = keys_and_values(earlier, places.tokens, rotates_keys) if resets and earlier is not None else None
        return attend(
            Queries(query, positions, own),
            Keys(*keys_and_values(tokens, places.tokens, rotates_keys), places.tokens, present, other),
            Geometry(
                first=len(tokens) - len(x_McD),
                query_order=(shape.slots[-1] - 1,) if is_summary else shape.slots,
                key_order=shape.slots,
                limit=limit,
            ),
            block=shape.block,
            bias=functools.partial(self.positions.bias if has_id else self._summary_bias, shape.num_heads),
            weight=lambda distance: reset_weight(distance, shape.num_context, self.bounds[...]),
        )

    def _summary_bias(self, num_heads: int, positions_T: jax.Array, positions_S: jax.Array) -> jax.Array:
        """Return the bias of [SUM]s that have no position, (H, T, S)."""
        return self.slope[...] * Alibi.bias(num_heads, positions_T, positions_S)

    def _rotate(self, vectors_McHA: jax.Array, positions_Mc: jax.Array) -> jax.Array:
        flat = vectors_McHA.reshape(-1, *vectors_McHA.shape[2:])
        return (
            self.positions.rotate(flat.swapaxes(0, 1), positions_Mc.reshape(-1))
            .swapaxes(0, 1)
            .reshape(vectors_McHA.shape)
        )


def _sees_all_before(prompt: Prompt) -> jax.Array:
    """Return (Q,) bool: whether each query sees exactly the interactions before it."""
    interactions, queries = len(prompt.answers), len(prompt.query.x)
    if prompt.visible is None:
        return jnp.ones(queries, bool)
    place_Q = np.arange(interactions - queries, interactions)
    return jnp.all(prompt.visible == (np.arange(interactions)[None] < place_Q[:, None]), axis=1)
