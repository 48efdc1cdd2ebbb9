"""The programs that are timed: a population of layers, a decoder, and a decoder of click streams."""

import dataclasses
import functools
from collections.abc import Callable

import jax

from experiments.timing.accelerator.columns import Program, Steps
from experiments.timing.accelerator.settings import STEPS, Scale
from lab.config.choices import Position, StreamScheme
from lab.config.stack import Model
from lab.config.timed import SpeedTrain, Timed
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_schemes import SCHEMES
from lab.learners.stream_shape import StreamShape
from tasks.settings import Plain
from trainers import meta
from trainers.decoders import timed as decoders
from trainers.streams import Stream, key_of
from trainers.timing import streams
from trainers.timing.ceilings import operations
from trainers.timing.clock import compiled, how_many
from trainers.timing.training import Training
from trainers.transformers import shape_of

FEATURES = 11  # of an interaction, which has its label as a token more


@dataclasses.dataclass(frozen=True)
class Ready:
    """A compiled program.

    call: takes `steps` training steps. flops, bytes: of one step; operations are the larger of XLA's count and that of
    products. size: the columns that describe it.
    """

    call: Callable
    steps: int
    flops: float
    bytes: float
    size: dict[str, int]


def ready(scale: Scale, program: Program, seed: int, seconds: float) -> Ready:
    """Return a program, compiled at the precision of matrix products that is set now."""
    return {Program.LAYERS: _layers, Program.DECODER: _decoder, Program.STREAMS: _streams}[program](
        scale, seed, seconds
    )


def _layers(scale: Scale, seed: int, seconds: float) -> Ready:
    settings = Timed(
        seed=seed,
        task=Plain(),
        model=Model(),
        train=SpeedTrain(batch_size=scale.batch_size),
        seeds=scale.population,
    )
    training = Training(settings)
    program = training.program(STEPS)[0].func
    flops, traffic = _counted(program, training.operations(), training.turns)
    size = _size(scale.population, shape_of(settings, training.task).layout.token_dim, scale.batch_size)
    return _chained(
        lambda states: program(training.population, states)[0],
        training.states,
        seconds,
        (flops, traffic),
        size | {Steps.TOKENS: settings.task.num_context + 1},
    )


def _decoder(scale: Scale, seed: int, seconds: float) -> Ready:
    run = decoders.trained(scale.decoder, scale.prompts, scale.examples, scale.decoder.num_heads, seed)
    member, state = decoders.begun(run)

    def train(state: meta.TrainState, steps: int) -> meta.TrainState:
        return meta.train(state, member.task, member.recipe, member.key, steps)[0]

    program, _ = compiled(functools.partial(train, steps=STEPS), state)
    counts = _counted(program, operations(functools.partial(train, steps=1), state), 1)
    size = _size(1, scale.decoder.width, scale.prompts) | {Steps.TOKENS: 2 * scale.examples}
    return _chained(program, state, seconds, counts, size)


def _chained(train: Callable, state, seconds: float, counts: tuple[float, float], size: dict[str, int]) -> Ready:
    """Return a training whose call runs the program several times, each from the state that the one before it left.

    Args:
        train: state -> that after `STEPS` steps.
        seconds: about how long the calls take together.
        counts: operations and bytes of a step.
    """
    calls = how_many(seconds, functools.partial(train, state))

    def call():
        result = state
        for _ in range(calls):
            result = train(result)
        return result

    return Ready(call, calls * STEPS, *counts, size)


def _streams(scale: Scale, seed: int, seconds: float) -> Ready:
    """Return the loss of a decoder of click streams and its gradient, with banded attention."""
    size = scale.decoder
    shape = StreamShape(
        scheme=SCHEMES[StreamScheme.naive],
        num_context=scale.window,
        num_targets=scale.targets,
        longest=scale.targets,
        num_features=FEATURES,
        vocabulary=streams.VOCABULARY,
        width=size.width,
        num_layers=size.num_layers,
        num_heads=size.num_heads,
        mlp_width=size.mlp_width,
        positions=Position.rope,
        block=scale.window,
    )
    decoder = StreamDecoder(shape, key_of(seed, Stream.parameters))
    some = streams.streams_of(
        key_of(seed, Stream.problems), scale.prompts, scale.window, scale.targets, FEATURES, scale.targets
    )
    program, _ = compiled(streams.loss_and_gradient, decoder, some)
    flops, traffic = _counted(program, operations(streams.loss_and_gradient, decoder, some), 1)
    steps = how_many(seconds, functools.partial(program, decoder, some))
    tokens = (scale.window + scale.targets) * (FEATURES + 1)

    def call():
        result = None
        for _ in range(steps):
            result = program(decoder, some)
        return result

    return Ready(call, steps, flops, traffic, _size(1, size.width, scale.prompts) | {Steps.TOKENS: tokens})


def _counted(program: jax.stages.Compiled, products: float, turns: int) -> tuple[float, float]:
    """Return the operations and bytes of a step by XLA's count, which counts a loop's body once.

    XLA counts neither of what it hands to a library, such as products of large matrices on a GPU: so the operations are
    at least those of the products, and the bytes may be too few.

    Args:
        products: operations of the products of matrices in a step.
        turns: into how many parts a step is divided, one after the other.
    """
    counts = program.cost_analysis() or {}
    return max(turns * counts.get("flops", 0.0), products), turns * counts.get("bytes accessed", 0.0)


def _size(models: int, width: int, prompts: int) -> dict[str, int]:
    return {Steps.MODELS: models, Steps.WIDTH: width, Steps.PROMPTS: prompts}
