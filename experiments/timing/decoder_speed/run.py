"""`decoder_speed`: the time of a training step of one decoder in three programs: the lab's, by hand, and PyTorch's.

Each draws new prompts for each step; all have the same sizes, and Adam. Operations are those of the program that is
written by hand, so that shares of the device's highest rate can be compared.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import jax

from experiments.timing.decoder import begun
from experiments.timing.decoder_speed import by_hand, in_torch
from experiments.timing.decoder_speed.results import SIZE
from experiments.timing.decoder_speed.settings import DecoderSpeed
from lab.learners.every_prefix import EveryPrefix
from trainers import meta
from trainers.study import Row
from trainers.timing.ceilings import counted, operations
from trainers.timing.clock import compiled
from trainers.timing.study import Program, TurnsStudy, of_steps


class DecoderStudy(TurnsStudy[DecoderSpeed]):
    """One case, the decoder."""

    SHARES: ClassVar = True

    def cases(self) -> Sequence[Row]:
        model = self.settings.model
        return [dict(zip(SIZE, (model.width, model.num_layers, self.settings.prompts, 2 * self.settings.examples),
                         strict=True))]  # fmt: skip

    def run(self) -> None:
        """Time the programs. Raises as `Study.run`."""
        super().run()
        if not in_torch.installed():
            self.record.note("PyTorch is not installed, so its Transformer was not timed: pip install torch")

    def makers(self, case: Row) -> Mapping[str, Callable[[], Program]]:
        settings = self.settings
        member, state = begun(settings.model, settings.prompts, settings.examples, settings.input_dim, settings.seed)
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


run = DecoderStudy.run_each
