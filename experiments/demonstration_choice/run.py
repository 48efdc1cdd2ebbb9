"""`demonstration_choice`: which of several sets of demonstrations to show, by Effect_D [LRGD], accuracy or log-loss."""

import dataclasses
import functools
from collections.abc import Sequence

import jax

from experiments.demonstration_choice import rows
from experiments.demonstration_choice.measure import measure
from experiments.demonstration_choice.settings import DemonstrationChoice
from lab.errors import ConfigError
from lab.runs import console
from trainers import starting
from trainers.blocks import in_blocks, number_of_blocks
from trainers.record import Record


def check(settings: DemonstrationChoice) -> None:
    """What the decoders' task says of the settings.

    Raises:
        ConfigError: as `starting.check`, or a set has more examples than the decoders were trained on.
    """
    starting.check(settings.model, "decoder", settings.test)
    task = starting.task_of(settings.model, settings.test)
    if settings.examples > task.num_context:
        raise ConfigError(
            f"examples={settings.examples}: the decoders read up to task.num_context={task.num_context} of them"
        )


def run(records: Sequence[Record]) -> None:
    """Measure the decoders of every seed.

    Raises:
        UserError: there is no trained decoder, or a directory cannot be written.
    """
    for record in records:
        settings: DemonstrationChoice = record.settings
        task = dataclasses.replace(
            starting.task_of(settings.model, settings.test),
            num_context=settings.sets * settings.examples,
            num_queries=max(settings.validation) + settings.queries,
        )
        models = starting.decoders(record, settings.model)
        tables: dict[str, list[dict]] = {"choice": [], "bounds": []}
        total = len(models) * number_of_blocks(settings.episodes, settings.chunk)
        with console.counting_bar("choosing", total) as advance:
            for seed, model in models.items():
                key = jax.random.fold_in(jax.random.key(seed), 3)
                measure_block = functools.partial(measure, model, task, count=settings.chunk, sets=settings.sets)
                measured = in_blocks(measure_block, key, settings.episodes, settings.chunk, advance)
                tables["choice"] += [{"seed": seed} | row for row in rows.choice_rows(measured, settings.validation)]
                tables["bounds"] += [{"seed": seed} | row for row in rows.bound_rows(measured, settings.validation)]
        for name, table in tables.items():
            record.table(name, table)
        record.numbers(rows.numbers(tables))
