"""`deep_thinking`: does it help a decoder to read its context again? [DT]"""

import functools
import itertools
from collections.abc import Sequence

import jax
import jax.numpy as jnp

from experiments.deep_thinking import rows
from experiments.deep_thinking.measure import measure
from experiments.deep_thinking.settings import DeepThinking
from lab.config.choices import Position
from lab.config.compose import compose_run
from lab.errors import ConfigError
from lab.runs import console
from trainers import starting
from trainers.blocks import in_blocks, number_of_blocks
from trainers.record import Record


def run(records: Sequence[Record]) -> None:
    """Measure the decoders of every seed.

    Raises:
        UserError: there is no trained decoder, or a directory cannot be written.
    """
    for record in records:
        settings: DeepThinking = record.settings
        task = starting.task_of(settings.model, [*settings.test, f"task.num_queries={settings.queries}"])
        models = starting.decoders(record, settings.model)
        pairs = [*itertools.product(settings.eta, settings.beta)]
        tables: dict[str, list[dict]] = {"iterations": [], "protocols": [], "norms": []}
        eta_R, beta_R = (jnp.asarray(each, float) for each in zip(*pairs, strict=True))
        sizes = {"count": settings.chunk, "iterations": settings.iterations, "offset": settings.offset}
        counts = (settings.validation, settings.tasks)
        total = len(models) * sum(number_of_blocks(count, settings.chunk) for count in counts)
        with console.counting_bar("reading again", total) as advance:
            for seed, model in models.items():
                keys = jax.random.split(jax.random.fold_in(jax.random.key(seed), 2))
                measure_block = functools.partial(measure, model, task, eta_R=eta_R, beta_R=beta_R, **sizes)
                validation, test = (
                    in_blocks(measure_block, key, count, settings.chunk, advance)
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


def check(settings: DeepThinking) -> None:
    """Refuse what would fail after the decoders have been trained (ConfigError)."""
    starting.check(settings.model, "decoder", settings.test)
    if settings.offset and compose_run(settings.model.command).model.positions is Position.learned:
        raise ConfigError("offset=true: there are no learned positions beyond the first reading; leave it out")


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
