"""`deep_thinking`: does it help a decoder to read its context again? [DT]"""

import functools
import itertools
from collections.abc import Sequence
from typing import ClassVar

import jax.numpy as jnp

from experiments.demonstrations.deep_thinking import rows
from experiments.demonstrations.deep_thinking.columns import Common, Iterations, Protocols, Table
from experiments.demonstrations.deep_thinking.measure import measure
from experiments.demonstrations.deep_thinking.settings import DeepThinking
from lab.config.choices import Position
from lab.config.decoder import TrainsDecoder
from lab.errors import ConfigError
from tasks.classification import Classification
from trainers import load_pretrained
from trainers.part_store import Tree
from trainers.record import Record
from trainers.streams import Stream
from trainers.study import Part, Study, Tables, blocks_of, over_seeds


def run(records: Sequence[Record[DeepThinking]]) -> None:
    """Measure the decoders of every seed.

    Raises:
        UserError: there is no trained decoder, or a directory cannot be written.
    """
    for record in records:
        ReadingAgain(record).run()


def check(settings: DeepThinking) -> None:
    """Refuse what would fail after the decoders have been trained (ConfigError)."""
    load_pretrained.check(settings.command, "decoder", settings.test)
    maker = load_pretrained.settings_of(settings.command, TrainsDecoder)
    if settings.offset and maker.model.positions is Position.learned:
        raise ConfigError("offset=true: there are no learned positions beyond the first reading; leave it out")


class ReadingAgain(Study[DeepThinking]):
    """One part per decoder, and one for what iterations cost."""

    TABLES: ClassVar = tuple(Table)
    DOING: ClassVar = "reading again"

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        self.task = load_pretrained.task_to_test(settings.command, settings.test, Classification)
        self.models = load_pretrained.decoders(self.record, settings.command)
        self.pairs = [*itertools.product(settings.eta, settings.beta)]
        blocks = sum(blocks_of(count, settings.eval.block) for count in (settings.validation, settings.eval.episodes))
        return [*(Part({Common.SEED: seed}, blocks) for seed in self.models), Part({}, name="cost")]

    def measure(self, part: Part) -> Tables:
        settings = self.settings
        if part.name == "cost":
            first = next(iter(self.models.values()))
            return {Table.COST: rows.cost_rows(first, self.task.num_context, settings.iterations, settings.memory)}
        choice = self._measured(part.columns[Common.SEED], Stream.choice, settings.validation, ())
        test = self._measured(part.columns[Common.SEED], Stream.test, settings.eval.episodes, (*settings.scored,))
        return {
            Table.ITERATIONS: rows.iteration_rows(test, self.pairs),
            Table.PROTOCOLS: rows.protocol_rows(test, choice, self.pairs, settings.scored),
            Table.NORMS: rows.norm_rows(test, self.pairs),
            Table.TASKS: rows.task_rows(test, settings.scored),
        }

    def _measured(self, seed: int, stream: Stream, episodes: int, scored: tuple[int, ...]) -> Tree:
        settings = self.settings
        eta_R, beta_R = (jnp.asarray(each, float) for each in zip(*self.pairs, strict=True))
        measure_block = functools.partial(
            measure, self.models[seed], self.task.of_seed(seed), eta_R=eta_R, beta_R=beta_R, count=settings.eval.block,
            iterations=settings.iterations, scored=scored, fresh=settings.queries, offset=settings.offset,
        )  # fmt: skip
        return self.blocks(stream.name, measure_block, self.key(seed, stream), episodes, settings.eval.block)

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        """Return the accuracy of plain in-context learning, and the gain of each protocol: those with rate and momentum
        at the first pair of them, and those with queries that choose with the most of these."""
        first = [row for row in tables[Table.ITERATIONS] if row[Common.ITERATIONS] == 1]
        one_each = {row[Common.SEED]: row for row in first}.values()
        (eta, beta), scored = self.pairs[0], max(self.settings.scored)
        places = ([eta, beta, None], [eta, beta, scored], [None, None, None])
        gains = [
            row
            for row in tables[Table.PROTOCOLS]
            if [row[Common.ETA], row[Common.BETA], row[Protocols.SCORED]] in places
        ]
        plain = over_seeds([*one_each], Iterations.ACCURACY, lambda row: "accuracy.in_context")
        at_these = {"eta": eta, "beta": beta, "scored": float(scored)}
        return plain | over_seeds(gains, Protocols.GAIN, lambda row: f"gain.{row[Protocols.PROTOCOL]}") | at_these
