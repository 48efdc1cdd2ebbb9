"""`deep_thinking`: does it help a decoder to read its context again? [DT]"""

import itertools
from collections.abc import Sequence

import jax
from rich.progress import Progress

from lab.config.choices import Position
from lab.config.deep_thinking import DeepThinking
from lab.errors import ConfigError
from lab.runs import console, interrupt
from trainers.experiments import starting
from trainers.experiments.deep_thinking import rows
from trainers.experiments.deep_thinking.measure import in_blocks
from trainers.record import Record


def run(records: Sequence[Record]) -> None:
    """Measure the decoders of every seed.

    Raises:
        ConfigError: positions that are learned cannot go on at the second reading.
        UserError: there is no trained decoder, or a directory cannot be written.
    """
    for record in records:
        settings: DeepThinking = record.settings
        task = starting.task_of(settings.model, [*settings.test, f"task.num_queries={settings.queries}"])
        models = starting.decoders(record, settings.model)
        if settings.offset and any(model.shape.positions is Position.learned for model in models.values()):
            raise ConfigError("offset=true: there are no learned positions beyond the first reading; leave it out")
        pairs = [*itertools.product(settings.eta, settings.beta)]
        tables: dict[str, list[dict]] = {"iterations": [], "protocols": [], "norms": []}
        total = len(models) * sum(-(-count // settings.chunk) for count in (settings.validation, settings.tasks))
        with Progress(console=console.CONSOLE, transient=True) as progress:
            bar = progress.add_task("reading again", total=total)

            def step(bar=bar, progress=progress):
                interrupt.check()
                progress.advance(bar)

            for seed, model in models.items():
                keys = jax.random.split(jax.random.fold_in(jax.random.key(seed), 2))
                counts = (settings.validation, settings.tasks)
                validation, test = (
                    in_blocks(model, task, key, pairs, count, settings, step)
                    for key, count in zip(keys, counts, strict=True)
                )
                parts = {
                    "iterations": rows.iteration_rows(test, pairs),
                    "protocols": rows.protocol_rows(test, validation, pairs),
                    "norms": rows.norm_rows(test, pairs),
                }
                for name, part in parts.items():
                    tables[name] += [{"seed": seed} | row for row in part]
        for name, table in tables.items():
            record.table(name, table)
        first = next(iter(models.values()))
        record.table("cost", rows.cost_rows(first, task.num_context, settings.iterations, settings.memory))
        record.numbers(_numbers(tables, pairs[0]))


def _numbers(tables: dict[str, list[dict]], pair: tuple[float, float]) -> dict[str, float]:
    """Headline numbers, means over the seeds: accuracy of plain in-context learning, and the gain of each protocol, of
    those with rate and momentum at this pair of them."""
    first = {row["seed"]: row["accuracy"] for row in tables["iterations"] if row["iterations"] == 1}
    numbers = starting.mean_over_seeds("accuracy.in_context", [*first.values()])
    for protocol in dict.fromkeys(row["protocol"] for row in tables["protocols"]):
        rows_of = [row for row in tables["protocols"] if row["protocol"] == protocol]
        gains = [row["gain"] for row in rows_of if (row["eta"], row["beta"]) in (pair, (None, None))]
        numbers |= starting.mean_over_seeds(f"gain.{protocol}", gains)
    return numbers
