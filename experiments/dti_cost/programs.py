"""The programs of one size: a decoder's loss on the same targets, as sliding windows and as prompts of many targets."""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx

from analysis.metrics.cost import counted_flops
from experiments.dti_cost.settings import DtiCost
from lab.layouts.stream import Stream
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_schemes import SCHEMES
from lab.learners.stream_shape import StreamShape
from trainers.streams import Stream as Streams
from trainers.streams import key_of
from trainers.timing.clock import compiled

SLIDING, PARTS, FULL, BAND = "sliding", "sliding_parts", "full", "band_"
FORWARD, BOTH = "forward", "both"  # passes: the loss alone, and with its gradient
VOCABULARY = 8  # of features; no cost depends on it


@dataclasses.dataclass(frozen=True)
class Size:
    """n, k, c and d of the settings."""

    n: int
    k: int
    c: int
    d: int

    @property
    def row(self) -> dict[str, int]:
        """Columns of a table."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class Program:
    """call(): the loss, or the loss and its gradient. flops: as XLA counts them; None where it cannot."""

    call: Callable
    flops: float | None
    targets: int


def ways(settings: DtiCost, size: Size) -> dict[str, tuple[int, int | None]]:
    """{way: (targets of a prompt, interactions of a block of attention or None)}.

    Sliding windows are taken all at once, and some at a time: in a large batch they may be slower for their memory
    alone.
    """
    bands = {f"{BAND}{divisor}": (size.k, -(-size.n // divisor)) for divisor in settings.blocks}
    return {SLIDING: (1, None), PARTS: (1, None), FULL: (size.k, None)} | bands


def program_of(settings: DtiCost, size: Size, way: str, which: str) -> Program:
    """One program, compiled. Programs of sliding windows depend on k in their number of targets alone."""
    targets, block = ways(settings, size)[way]
    decoder = decoder_of(settings, size, targets, block)
    streams = streams_of(settings, size, targets)
    parts = -(-len(streams.labels) // settings.windows) if way == PARTS else 1
    one_part = loss if which == FORWARD else loss_and_gradient
    if parts > 1:
        streams = jax.tree.map(lambda each: _in_parts(each, parts), streams)
    program, _ = compiled(one_part if parts == 1 else in_turns(one_part), decoder, streams)
    return Program(
        call=lambda: program(decoder, streams),
        flops=counted_flops(program) if parts == 1 else None,
        targets=streams.labels.size // streams.labels.shape[-1] * targets,
    )


def decoder_of(settings: DtiCost, size: Size, targets: int, block: int | None, key: int = 0) -> StreamDecoder:
    model = settings.model
    shape = StreamShape(
        scheme=SCHEMES[model.scheme],
        num_context=size.n,
        num_targets=targets,
        longest=size.k,
        num_features=size.c - 1,
        vocabulary=VOCABULARY,
        width=size.d,
        num_layers=model.num_layers,
        num_heads=model.num_heads,
        mlp_width=4 * size.d,
        positions=model.positions,
        block=block,
    )
    return StreamDecoder(shape, jax.random.key(key))


def streams_of(settings: DtiCost, size: Size, targets: int) -> Stream:
    """Random prompts (P, n + k) of so many targets each, or as sliding windows (P k, n + 1): the same targets."""
    prompts, length = -(-settings.targets // size.k), size.n + size.k
    keys = jax.random.split(key_of(settings.seed, Streams.problems))
    tokens_PxMxF = jax.random.randint(keys[0], (prompts, length, size.c - 1), 0, VOCABULARY)
    labels_PxM = jax.random.randint(keys[1], (prompts, length), 0, 2)
    rows_WxM = jnp.arange(0, size.k, targets)[:, None] + jnp.arange(size.n + targets)[None]
    tokens_RxMxF = tokens_PxMxF[:, rows_WxM].reshape(-1, size.n + targets, size.c - 1)
    return Stream(tokens_RxMxF, labels_PxM[:, rows_WxM].reshape(-1, size.n + targets), targets)


def loss(decoder: StreamDecoder, streams: Stream) -> jax.Array:
    """The mean cross-entropy of the targets of prompts."""
    logits_PxKx2 = jax.vmap(decoder.logits)(streams)
    labels_PxK = streams.labels[:, -streams.num_targets :]
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits_PxKx2), labels_PxK[..., None], axis=-1))


def loss_and_gradient(decoder: StreamDecoder, streams: Stream) -> tuple[jax.Array, nnx.State]:
    """The same, and its gradient in what is trained."""
    graph, trained, rest = nnx.split(decoder, nnx.Param, ...)
    return jax.value_and_grad(lambda trained: loss(nnx.merge(graph, trained, rest), streams))(trained)


def in_turns(one_part: Callable) -> Callable:
    """Its mean over parts, an axis in front of the prompts, one part after the other."""

    def all_parts(decoder: StreamDecoder, streams: Stream):
        def add(total, part):
            return jax.tree.map(jnp.add, total, one_part(decoder, part)), None

        first, rest = (jax.tree.map(lambda each, cut=cut: each[cut], streams) for cut in (0, slice(1, None)))
        total, _ = jax.lax.scan(add, one_part(decoder, first), rest)
        return jax.tree.map(lambda each: each / len(streams.labels), total)

    return all_parts


def _in_parts(each: jax.Array, parts: int) -> jax.Array:
    """(parts, rows, ...). Where parts do not divide the rows, so many first rows are at the end again."""
    rows = -(-len(each) // parts)
    repeated = jnp.concatenate([each, each[: rows * parts - len(each)]])
    return repeated.reshape(parts, rows, *each.shape[1:])
