"""The programs that are timed: a population of layers, a decoder, and a decoder of click streams."""

import functools
from collections.abc import Callable

from experiments.timing.accelerator import results
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
from trainers.timing.ceilings import counted, operations
from trainers.timing.clock import compiled
from trainers.timing.study import Program, of_calls
from trainers.timing.training import Training
from trainers.transformers import shape_of

FEATURES = 11  # of an interaction, which has its label as a token more


def layers(scale: Scale, seed: int, seconds: float) -> Program:
    """Return the training of a population of layers of linear attention."""
    settings = Timed(seed=seed, task=Plain(), model=Model(), train=SpeedTrain(batch_size=scale.batch_size),
                     seeds=scale.population)  # fmt: skip
    training = Training(settings)
    program = compiled(training.train(STEPS), training.population, training.states)
    products = operations(training.train(1), training.population, training.states)
    width = shape_of(settings, training.task).layout.token_dim
    return of_calls(
        seconds,
        _chained(lambda states: program(training.population, states)[0], training.states),
        STEPS,
        columns=_size(scale.population, width, scale.batch_size, settings.task.num_context + 1),
        **counted(program, products, training.turns),
    )


def decoder(scale: Scale, seed: int, seconds: float) -> Program:
    """Return the training of a decoder."""
    run = decoders.trained(scale.decoder, scale.prompts, scale.examples, scale.decoder.num_heads, seed)
    member, state = decoders.begun(run)

    def train(state: meta.TrainState, steps: int) -> meta.TrainState:
        return meta.train(state, member.task, member.recipe, member.key, steps)[0]

    program = compiled(functools.partial(train, steps=STEPS), state)
    return of_calls(
        seconds,
        _chained(program, state),
        STEPS,
        columns=_size(1, scale.decoder.width, scale.prompts, 2 * scale.examples),
        **counted(program, operations(functools.partial(train, steps=1), state)),
    )


def stream_decoder(scale: Scale, seed: int, seconds: float) -> Program:
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
    model = StreamDecoder(shape, key_of(seed, Stream.parameters))
    key = key_of(seed, Stream.problems)
    some = streams.streams_of(key, scale.prompts, scale.window, scale.targets, FEATURES, scale.targets)
    program = compiled(streams.loss_and_gradient, model, some)
    return of_calls(
        seconds,
        lambda: program(model, some),
        1,
        columns=_size(1, size.width, scale.prompts, (scale.window + scale.targets) * (FEATURES + 1)),
        **counted(program, operations(streams.loss_and_gradient, model, some)),
    )


MAKERS = {results.Program.LAYERS: layers, results.Program.DECODER: decoder, results.Program.STREAMS: stream_decoder}


def _chained(train: Callable, state) -> Callable:
    """Return a call that trains on from the state that the call before it left, so that no two run side by side."""

    def call():
        nonlocal state
        state = train(state)
        return state

    return call


def _size(models: int, width: int, prompts: int, tokens: int) -> dict[str, int]:
    """Return the columns that describe a program: models that train together, the width of a token, prompts of a step
    of one model, and tokens of a prompt."""
    return {"models": models, "width": width, "prompts": prompts, "tokens": tokens}
