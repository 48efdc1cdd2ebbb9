"""`decoder_speed`: the time of a training step of one decoder in three programs: the lab's, by hand, and PyTorch's.

The programs are timed in turns. Each draws new prompts for each step; all have the same sizes, and Adam. Operations are
XLA's count for the program that is written by hand, so that shares of the device's highest rate can be compared.
"""

import functools
import statistics
from collections.abc import Callable, Sequence
from typing import ClassVar

import jax

from experiments.timing.decoder_speed import by_hand, in_torch
from experiments.timing.decoder_speed.columns import Steps, Table
from experiments.timing.decoder_speed.settings import DecoderSpeed
from lab.learners.every_prefix import EveryPrefix
from lab.runs import console, interrupt
from lab.runs.devices import device_name
from trainers import meta
from trainers.decoders import timed as decoders
from trainers.population import Member
from trainers.record import Record
from trainers.study import Part, Study, Tables
from trainers.timing import ceilings
from trainers.timing.clock import compiled, how_many, one_round, seconds_of

CEILING = "ceiling"  # a part, whose row goes into the summary

Maker = Callable[[int], functools.partial]  # steps -> a call without arguments that takes so many training steps


def run(records: Sequence[Record[DecoderSpeed]]) -> None:
    """Write the table `steps`, and the medians as numbers.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        StepsStudy(record).run()
        if not in_torch.installed():
            record.note("PyTorch is not installed, so its Transformer was not timed: pip install torch")


class StepsStudy(Study[DecoderSpeed]):
    """A first part for the highest rate of the device, then one per round, in which every program is timed once."""

    TABLES: ClassVar = tuple(Table)
    DOING: ClassVar = "rounds"

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        size: dict[str, int] = {
            Steps.LAYERS: settings.model.num_layers,
            Steps.WIDTH: settings.model.width,
            Steps.TOKENS: 2 * settings.examples,
            Steps.PROMPTS: settings.prompts,
        }
        rounds = [Part(size | {Steps.ROUND: turn}) for turn in range(settings.rounds)]
        return [Part({}, name=CEILING), *rounds]

    @functools.cached_property
    def timed_programs(self) -> tuple[dict[str, tuple[Callable, int]], float]:
        """The compiled programs with their numbers of steps, and the operations per step by XLA's count."""
        return compiled_programs(self.settings)

    def measure(self, part: Part) -> Tables:
        if part.name == CEILING:
            highest = ceilings.flops_per_second(self.settings.seconds / 3, 3)
            return {CEILING: [{"flops_per_step": self.timed_programs[1], "flops_per_second": highest}]}
        (ceiling,) = self.tables[CEILING]
        share = 1e3 * ceiling["flops_per_step"] / ceiling["flops_per_second"]
        return {
            Table.STEPS: [
                {
                    Steps.PROGRAM: name,
                    Steps.DEVICE: device_name(),
                    Steps.MILLISECONDS: 1e3 * seconds,
                    Steps.SHARE: share / (1e3 * seconds),
                }
                for name, seconds in one_round(self.timed_programs[0], part.columns[Steps.ROUND])
            ]
        }

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        self.record.entries(**tables[CEILING][0])
        return {**medians(tables[Table.STEPS])}


def begun(settings: DecoderSpeed) -> tuple[Member, meta.TrainState]:
    """Return the member that trains the decoder, and its state before the first step."""
    run = decoders.trained(settings.model, settings.prompts, settings.examples, settings.input_dim, settings.seed)
    return decoders.begun(run)


def programs(settings: DecoderSpeed) -> dict[str, Maker]:
    """Return {name of the program: a function steps -> a call that takes so many steps}."""
    member, state = begun(settings)
    decoder = state.learner
    assert isinstance(decoder, EveryPrefix)  # as its tokens are interleaved
    weights, heads = by_hand.weights_of(decoder.inner), settings.model.num_heads

    def lab(steps: int) -> functools.partial:
        def train(state: meta.TrainState) -> jax.Array:
            return meta.train(state, member.task, member.recipe, member.key, steps)[1]

        return functools.partial(compiled(train, state)[0], state)

    def hand(steps: int) -> functools.partial:
        def train(weights: dict) -> jax.Array:
            return by_hand.train(weights, member.task, settings.prompts, heads, member.key, steps)

        return functools.partial(compiled(train, weights)[0], weights)

    makers: dict[str, Maker] = {"lab": lab, "by_hand": hand}
    if in_torch.installed():
        makers["torch"] = functools.partial(functools.partial, in_torch.program(settings))
    return makers


def compiled_programs(settings: DecoderSpeed) -> tuple[dict[str, tuple[Callable, int]], float]:
    """Return {name: (a call, its steps)}, and the operations per step by XLA's count.

    Raises:
        NoMemory: the device has too little memory.
    """
    ready: dict[str, tuple[Callable, int]] = {}
    flops = 0.0
    for name, maker in programs(settings).items():
        interrupt.check()
        with console.busy(f"compiling {name}"):
            one = maker(1)
            if name == "by_hand":
                flops = one.func.cost_analysis()["flops"]
            steps = how_many(settings.seconds, one)
            ready[name] = maker(steps), steps
            seconds_of(ready[name][0])  # the first call of a program is slower than later ones
    return ready, flops


def medians(rows: list[dict]) -> dict[str, float]:
    """Return {milliseconds_per_step.PROGRAM and share_of_flops.PROGRAM: the median over the rounds}."""
    columns, names = (Steps.MILLISECONDS, Steps.SHARE), dict.fromkeys(row[Steps.PROGRAM] for row in rows)
    return {
        f"{column}.{name}": statistics.median(row[column] for row in rows if row[Steps.PROGRAM] == name)
        for name in names
        for column in columns
    }
