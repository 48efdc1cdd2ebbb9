"""`demonstration_choice`: which of several sets of demonstrations to show, by Effect_D [LRGD], accuracy or log-loss."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import ClassVar

from experiments.demonstrations.demonstration_choice import results, rows
from experiments.demonstrations.demonstration_choice.measure import measure
from experiments.demonstrations.demonstration_choice.settings import DemonstrationChoice
from experiments.demonstrations.tables import at_first
from lab.errors import ConfigError
from tasks.classification import Classification
from trainers import load_pretrained
from trainers.streams import Stream
from trainers.study import Part, Study, Tables, blocks_of


def check(settings: DemonstrationChoice) -> None:
    """Refuse what the decoders' task does not allow.

    Raises:
        ConfigError: as `starting.check`, or a set has more examples than the decoders were trained on.
    """
    load_pretrained.check(settings.command, "decoder", settings.test)
    task = load_pretrained.task_to_test(settings.command, settings.test, Classification)
    if settings.examples > task.num_context:
        raise ConfigError(
            f"examples={settings.examples}: the decoders read up to task.num_context={task.num_context} of them"
        )


class Choice(Study[DemonstrationChoice]):
    """One part per decoder."""

    TABLES: ClassVar = results.TABLES
    DOING: ClassVar = "choosing"
    UNDEFINED: ClassVar = (results.spearman.name,)

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        self.task = dataclasses.replace(
            load_pretrained.task_to_test(settings.command, settings.test, Classification),
            num_context=settings.sets * settings.examples,
            num_queries=max(settings.validation) + settings.queries,
        )
        self.models = load_pretrained.decoders(self.record, settings.command)
        return [
            Part({results.SEED: seed}, blocks_of(settings.eval.episodes, settings.eval.block)) for seed in self.models
        ]

    def measure(self, part: Part) -> Tables:
        settings, seed = self.settings, part.columns[results.SEED]
        first = max(settings.validation)
        measure_block = functools.partial(
            measure, self.models[seed], self.task.of_seed(seed), count=settings.eval.block, sets=settings.sets,
            followed=(first, first + settings.followed),
        )  # fmt: skip
        key = self.key(seed, Stream.test)
        measured = self.blocks("test", measure_block, key, settings.eval.episodes, settings.eval.block)
        return rows.decoder_rows(measured, settings.validation)

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        """Return the headline numbers, at the most validation queries."""
        return super().numbers(at_first(tables, queries=max(self.settings.validation)))


run = Choice.run_each
