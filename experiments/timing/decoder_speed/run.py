"""`decoder_speed`: the time of a training step of one decoder in three programs: the lab's, by hand, and PyTorch's.

Each draws new prompts for each step; all have the same sizes, and Adam. Operations are those of the program that is
written by hand, so that shares of the device's highest rate can be compared.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import jax

from experiments.timing.decoder_speed import by_hand, in_torch
from experiments.timing.decoder_speed.results import SIZE
from experiments.timing.decoder_speed.settings import DecoderSpeed
from lab.learners.every_prefix import EveryPrefix
from trainers import meta
from trainers.decoders import timed as decoders
from trainers.population import Member
from trainers.record import Record
from trainers.study import Row
from trainers.timing.ceilings import counted, operations
from trainers.timing.clock import compiled
from trainers.timing.study import Program, TurnsStudy, of_steps


def run(records: Sequence[Record[DecoderSpeed]]) -> None:
    """Time the programs.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        DecoderStudy(record).run()
        if not in_torch.installed():
            record.note("PyTorch is not installed, so its Transformer was not timed: pip install torch")


class DecoderStudy(TurnsStudy[DecoderSpeed]):
    """One case, the decoder."""

    SHARES: ClassVar = True

    def cases(self) -> Sequence[Row]:
        model = self.settings.model
        return [dict(zip(SIZE, (model.width, model.num_layers, self.settings.prompts, 2 * self.settings.examples),
                         strict=True))]  # fmt: skip

    def makers(self, case: Row) -> Mapping[str, Callable[[], Program]]:
        settings = self.settings
        member, state = begun(settings)
        decoder = state.learner
        assert isinstance(decoder, EveryPrefix)  # as its tokens are interleaved
        weights = by_hand.weights_of(decoder.inner)

        def lab(steps: int) -> Callable:
            def train(state: meta.TrainState) -> jax.Array:
                return meta.train(state, member.task, member.recipe, member.key, steps)[1]

            return functools.partial(compiled(train, state), state)

        def hand(weights: dict, steps: int) -> jax.Array:
            return by_hand.train(weights, member.task, settings.prompts, settings.model.num_heads, member.key, steps)

        def hand_compiled(steps: int) -> functools.partial:
            return functools.partial(compiled(functools.partial(hand, steps=steps), weights), weights)

        one_step = functools.partial(hand, steps=1)
        counts = counted(compiled(one_step, weights), operations(one_step, weights))
        makers: dict[str, Callable[[int], Callable]] = {"lab": lab, "by_hand": hand_compiled}
        if in_torch.installed():
            makers["torch"] = functools.partial(functools.partial, in_torch.program(settings))
        return {name: functools.partial(of_steps, settings.seconds, make, **counts) for name, make in makers.items()}


def begun(settings: DecoderSpeed) -> tuple[Member, meta.TrainState]:
    """Return the member that trains the decoder, and its state before the first step."""
    run = decoders.trained(settings.model, settings.prompts, settings.examples, settings.input_dim, settings.seed)
    return decoders.begun(run)
