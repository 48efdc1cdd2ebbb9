"""`deep_thinking`: does it help a decoder to read its context again? [DT]"""

import functools
import itertools
from collections.abc import Sequence
from typing import ClassVar

import jax.numpy as jnp
import numpy as np

from experiments.demonstrations.deep_thinking import results, rows
from experiments.demonstrations.deep_thinking.measure import DECODER, measure, protocol_rows, readings_of, task_rows
from experiments.demonstrations.deep_thinking.settings import DeepThinking
from experiments.demonstrations.tables import at_first
from lab.config.choices import Position
from lab.config.decoder import TrainsDecoder
from lab.errors import ConfigError
from tasks.classification import Classification
from trainers import load_pretrained
from trainers.store import Tree
from trainers.streams import Stream
from trainers.study import Part, Study, Tables, blocks_of


def check(settings: DeepThinking) -> None:
    """Refuse what would fail after the decoders have been trained (ConfigError)."""
    load_pretrained.check(settings.command, "decoder", settings.test)
    maker = load_pretrained.settings_of(settings.command, TrainsDecoder)
    if settings.offset and maker.model.positions is Position.learned:
        raise ConfigError("offset=true: there are no learned positions beyond the first reading; leave it out")


class ReadingAgain(Study[DeepThinking]):
    """One part per decoder, and one for what iterations cost."""

    TABLES: ClassVar = results.TABLES
    DOING: ClassVar = "reading again"

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        self.task = load_pretrained.task_to_test(settings.command, settings.test, Classification)
        self.models = load_pretrained.decoders(self.record, settings.command)
        self.rates = [
            {results.ETA: eta, results.BETA: beta} for eta, beta in itertools.product(settings.eta, settings.beta)
        ]
        blocks = sum(blocks_of(count, settings.eval.block) for count in (settings.validation, settings.eval.episodes))
        return [*(Part({results.SEED: seed}, blocks) for seed in self.models), Part({}, name=results.COST)]

    def measure(self, part: Part) -> Tables:
        settings = self.settings
        if part.name == results.COST:
            return {results.COST: self._costs()}
        choice = self._measured(part.columns[results.SEED], Stream.choice, settings.validation, ())
        test = self._measured(part.columns[results.SEED], Stream.test, settings.eval.episodes, (*settings.scored,))
        readings = readings_of(test, choice, self.rates)
        norms_RxTxL = test["norms"].mean(axis=0, dtype=np.float64)
        return {
            results.ITERATIONS: rows.iteration_rows(DECODER, readings),
            results.PROTOCOLS: protocol_rows(test, readings, settings.scored),
            results.NORMS: [row for each in zip(self.rates, norms_RxTxL, strict=True) for row in rows.norm_rows(*each)],
            results.TASKS: task_rows(test, settings.scored),
        }

    def _measured(self, seed: int, stream: Stream, count: int, scored: tuple[int, ...]) -> Tree:
        settings = self.settings
        eta_R, beta_R = (
            jnp.asarray([each[name] for each in self.rates], float) for name in (results.ETA, results.BETA)
        )
        measure_block = functools.partial(
            measure, self.models[seed], self.task.of_seed(seed), eta_R=eta_R, beta_R=beta_R, count=settings.eval.block,
            iterations=settings.iterations, scored=scored, fresh=settings.queries, offset=settings.offset,
        )  # fmt: skip
        return self.blocks(stream.name, measure_block, self.key(seed, stream), count, settings.eval.block)

    def _costs(self) -> list[dict]:
        shape = next(iter(self.models.values())).shape
        context = shape.instructions + shape.layout.PER_EXAMPLE * self.task.num_context
        token_bytes = 2 * shape.num_layers * shape.num_groups * shape.head_width * rows.FLOAT
        return rows.cost_rows(context, 1, token_bytes, self.settings.iterations, self.settings.memory)

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        """Return the headline numbers, at the first rate and momentum and with the most queries that choose."""
        return super().numbers(at_first(tables, **self.rates[0], scored=max(self.settings.scored)))


run = ReadingAgain.run_each
