"""`accelerator`: what a device must get right, then the times of three programs: two trainings, one of a population of
layers and one of a decoder, and the gradient of a decoder of click streams.

On a CPU the sizes are those of `small`, and products of matrices have one precision. The programs are timed one after
the other, since each is compared with the device's highest rates alone: what is done is kept if the run is stopped.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import jax

from analysis.results.timing import PROGRAM, STEPS
from experiments.timing.accelerator import checks, results
from experiments.timing.accelerator.results import CHECKS
from experiments.timing.accelerator.settings import STEPS as CHAINED
from experiments.timing.accelerator.settings import Accelerator, Scale
from experiments.timing.decoder import begun
from lab.config.choices import Position, StreamScheme
from lab.config.stack import Model
from lab.config.timed import SpeedTrain, Timed
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_schemes import SCHEMES
from lab.learners.stream_shape import StreamShape
from lab.runs import console
from tasks.settings import Plain
from trainers.streams import Stream, key_of
from trainers.study import Part, Row, Tables
from trainers.timing import streams
from trainers.timing.ceilings import counted, operations
from trainers.timing.clock import compiled
from trainers.timing.study import Program, TurnsStudy, of_calls
from trainers.timing.training import Training
from trainers.transformers import shape_of

CHECKED = {f"{check.replace('_', ' ')}, {precision}": (check, precision) for check, precision in checks.CHECKS}
FEATURES = 11  # of an interaction, which has its label as a token more


class DeviceStudy(TurnsStudy[Accelerator]):
    """A part per check, then a case per program."""

    TABLES: ClassVar = (CHECKS, STEPS)
    DOING: ClassVar = "accelerator"
    SHARES: ClassVar = True

    def run(self) -> None:
        """Check the device, and time the programs. Raises as `Study.run`."""
        if jax.default_backend() == "cpu":
            self.record.note("no accelerator was found: sizes are those of `small`, and all products are float32")
        super().run()

    @property
    def scale(self) -> Scale:
        """The sizes on this device."""
        return self.settings.small if jax.default_backend() == "cpu" else self.settings.large

    def cases(self) -> Sequence[Row]:
        return [{PROGRAM: str(program)} for program in results.Program]

    def parts(self) -> Sequence[Part]:
        return [*(Part({}, name=name) for name in CHECKED), *super().parts()]

    def measure(self, part: Part) -> Tables:
        if part.name in CHECKED:
            with console.busy(f"checking {part.name}"):
                return {CHECKS: [checks.row(self.settings, self.scale, *CHECKED[part.name])]}
        return super().measure(part)

    def makers(self, case: Row) -> Mapping[str, Callable[[], Program]]:
        make = MAKERS[case[PROGRAM]]
        return {case[PROGRAM]: functools.partial(make, self.scale, self.settings.seed, self.settings.seconds)}


run = DeviceStudy.run_each


def layers(scale: Scale, seed: int, seconds: float) -> Program:
    """Return the training of a population of layers of linear attention."""
    settings = Timed(seed=seed, task=Plain(), model=Model(), train=SpeedTrain(batch_size=scale.batch_size),
                     seeds=scale.population)  # fmt: skip
    training = Training(settings)
    program = compiled(training.train(CHAINED), training.population, training.states)
    products = operations(training.train(1), training.population, training.states)
    width = shape_of(settings, training.task).layout.token_dim
    return of_calls(
        seconds,
        _chained(lambda states: program(training.population, states)[0], training.states),
        CHAINED,
        columns=_size(scale.population, width, scale.batch_size, settings.task.num_context + 1),
        **counted(program, products, training.turns),
    )


def decoder(scale: Scale, seed: int, seconds: float) -> Program:
    """Return the training of a decoder."""
    member, state = begun(scale.decoder, scale.prompts, scale.examples, scale.decoder.num_heads, seed)
    program = compiled(functools.partial(checks.trained, member, steps=CHAINED), state)
    return of_calls(
        seconds,
        _chained(program, state),
        CHAINED,
        columns=_size(1, scale.decoder.width, scale.prompts, 2 * scale.examples),
        **counted(program, operations(functools.partial(checks.trained, member, steps=1), state)),
    )


def stream_decoder(scale: Scale, seed: int, seconds: float) -> Program:
    """Return the loss of a decoder of click streams and its gradient, with banded attention."""
    size = scale.decoder
    shape = StreamShape(
        **vars(size),
        scheme=SCHEMES[StreamScheme.naive],
        num_context=scale.window,
        num_targets=scale.targets,
        longest=scale.targets,
        num_features=FEATURES,
        vocabulary=streams.VOCABULARY,
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
