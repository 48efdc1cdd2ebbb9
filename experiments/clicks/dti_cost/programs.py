"""The programs that are measured for one size: a decoder's loss on the same targets, arranged in different ways.

The targets come as sliding windows, or in prompts of many targets with full or banded attention.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp

from analysis.metrics.cost import counted_flops
from experiments.clicks.dti_cost import results
from experiments.clicks.dti_cost.settings import DtiCost
from lab.config.choices import StreamScheme
from lab.layouts.stream import Stream
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_schemes import SCHEMES
from lab.learners.stream_shape import StreamShape
from trainers import meta
from trainers.recipe import LEARNING_RATES, Recipe
from trainers.streams import Stream as Streams
from trainers.streams import key_of
from trainers.timing.clock import compiled
from trainers.timing.streams import VOCABULARY, loss, loss_and_gradient, training_step
from trainers.timing.streams import streams_of as random_streams
from trainers.timing.study import Program, of_calls


@dataclasses.dataclass(frozen=True)
class Size:
    """A size: window n, targets k of a prompt, tokens c of an interaction, width d."""

    n: int
    k: int
    c: int
    d: int

    @property
    def row(self) -> dict[str, int]:
        """Return the columns that name the size, which all tables have."""
        return dict(zip(results.SIZE, dataclasses.astuple(self), strict=True))


def ways(settings: DtiCost, size: Size) -> dict[str, tuple[int, int | None]]:
    """Return {way: (targets of a prompt, interactions of a block of attention or None)}.

    Each is computed all at once, and also some prompts at a time, as a large batch may be slower only because of the
    memory that it takes.
    """
    result: dict[str, tuple[int, int | None]] = {results.SLIDING: (1, None), results.FULL: (size.k, None)}
    result |= {f"{results.BAND}{divisor}": (size.k, -(-size.n // divisor)) for divisor in settings.blocks}
    return {f"{way}{kind}": each for way, each in result.items() for kind in ("", results.PARTS)}


def program_of(settings: DtiCost, size: Size, way: str, which: str) -> Program:
    """Return one compiled program, of which a step is one target. `way` is a key of `ways`, `which` a `Pass`."""
    function, start, streams = function_of(settings, size, way, which)
    program = compiled(function, start, streams)
    targets = streams.labels[..., 0].size * ways(settings, size)[way][0]
    operations = None if way.endswith(results.PARTS) else counted_flops(program) / targets
    return of_calls(settings.seconds, lambda: program(start, streams), targets, operations=operations)


def function_of(
    settings: DtiCost, size: Size, way: str, which: str
) -> tuple[Callable, StreamDecoder | meta.TrainState, Stream]:
    """Return what a program computes, and its two arguments: a decoder or the state of its training, and streams."""
    targets, block = ways(settings, size)[way]
    decoder = decoder_of(settings, size, targets, block)
    streams = streams_of(settings, size, targets)
    prompt = (size.n + targets) * size.c + targets  # its tokens
    at_a_time = max(settings.tokens // prompt, 1) if way.endswith(results.PARTS) else len(streams.labels)
    parts = -(-len(streams.labels) // at_a_time)
    if parts > 1:
        streams = jax.tree.map(lambda each: _in_parts(each, parts), streams)

    def of_all_parts(one_part: Callable) -> Callable:
        return one_part if parts == 1 else in_turns(one_part)

    if which == results.Pass.FORWARD:
        return of_all_parts(loss), decoder, streams
    recipe = Recipe(1, len(streams.labels), 0.0, settings.optimizer, LEARNING_RATES[settings.optimizer])
    state = meta.begin(lambda *_: decoder, recipe, jax.random.key(0))
    return training_step(recipe, of_all_parts(loss_and_gradient)), state, streams


def growing(settings: DtiCost) -> dict[str, tuple[DtiCost, bool, int | None]]:
    """Return {way: (settings, whether all targets share a prompt, interactions of a block or None)} of growth.csv.

    WINDOWED and SPLIT have blocks of one interaction, so that each token has as many keys as in a sliding window; SPLIT
    has the limits of the scheme of that name.
    """
    split = dataclasses.replace(settings, model=dataclasses.replace(settings.model, scheme=StreamScheme.split))
    return {
        results.SLIDING: (settings, False, None),
        results.FULL: (settings, True, None),
        results.WINDOWED: (settings, True, 1),
        results.SPLIT: (split, True, 1),
    }


def growth_row(settings: DtiCost, size: Size, way: str) -> dict:
    """Return the row of growth.csv of a key of `growing`. Operations are as XLA counts them before it compiles, and
    None where the device reports none."""
    settings, shared, block = growing(settings)[way]
    targets = size.k if shared else 1
    decoder = jax.eval_shape(lambda: decoder_of(settings, size, targets, block))
    streams = streams_of(dataclasses.replace(settings, targets=size.k), size, targets)
    costs = jax.jit(loss).lower(decoder, streams).cost_analysis()
    tokens = size.k // targets * ((size.n + targets) * size.c + targets)
    return {
        results.WAY: way,
        results.TOKENS: tokens,
        results.OPERATIONS: None if costs is None else float(costs["flops"]),
    }


def decoder_of(settings: DtiCost, size: Size, targets: int, block: int | None, key: int = 0) -> StreamDecoder:
    """Return a decoder with random weights, for prompts of so many targets; `block` as in `ways`."""
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
    """Return random streams with the same targets for any number of targets per stream."""
    prompts, key = -(-settings.targets // size.k), key_of(settings.seed, Streams.problems)
    return random_streams(key, prompts, size.n, size.k, size.c - 1, targets)


def in_turns(one_part: Callable) -> Callable:
    """Return a function that averages `one_part` over parts, which it computes one after the other.

    The parts are an axis in front of the streams.
    """

    def all_parts(decoder: StreamDecoder, streams: Stream):
        def add(total, part):
            return jax.tree.map(jnp.add, total, one_part(decoder, part)), None

        first, rest = (jax.tree.map(lambda each, cut=cut: each[cut], streams) for cut in (0, slice(1, None)))
        total, _ = jax.lax.scan(add, one_part(decoder, first), rest)
        return jax.tree.map(lambda each: each / len(streams.labels), total)

    return all_parts


def _in_parts(each: jax.Array, parts: int) -> jax.Array:
    """Return the rows as (parts, rows per part, ...). If they cannot be divided evenly, the first rows are repeated."""
    rows = -(-len(each) // parts)
    repeated = jnp.concatenate([each, each[: rows * parts - len(each)]])
    return repeated.reshape(parts, rows, *each.shape[1:])
