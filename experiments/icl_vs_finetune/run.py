"""`icl_vs_finetune`: is learning in context like fine-tuning on the same examples? [DAI], with nulls."""

import functools
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.alignment import mean_and_error
from experiments.icl_vs_finetune import rows
from experiments.icl_vs_finetune.measure import Measured, measure
from experiments.icl_vs_finetune.settings import IclVsFinetune
from lab.learners.decoder import Decoder
from lab.learners.fine_tuned import full_batch, one_epoch
from lab.runs import console
from tasks.task import Task
from trainers import starting
from trainers.blocks import in_blocks, number_of_blocks
from trainers.record import Record

TRAINED, UNTRAINED = "trained", "untrained"


def run(records: Sequence[Record]) -> None:
    """Measure the decoders of every seed, and one that is not trained.

    Raises:
        UserError: there is no trained decoder, or a directory cannot be written.
    """
    for record in records:
        settings: IclVsFinetune = record.settings
        task = starting.task_of(settings.model, [*settings.test, f"task.num_queries={settings.queries}"])
        trained = starting.decoders(record, settings.model)
        models = {(TRAINED, seed): model for seed, model in trained.items()}
        first = min(trained)
        models[UNTRAINED, first] = Decoder(trained[first].shape, jax.random.key(first))
        tables: dict[str, list[dict]] = {"accuracy": [], "transfer": [], "rates": []}
        schedules = {
            "one_epoch": one_epoch(task.num_context),
            "full_batch": full_batch(task.num_context, settings.steps),
        }
        blocks = [number_of_blocks(count, settings.chunk) for count in (settings.validation, settings.episodes)]
        total = len(models) * len(schedules) * (len(settings.rates) * blocks[0] + blocks[1])
        with console.counting_bar("fine-tuning", total) as advance:
            for (kind, seed), model in models.items():
                for name, batches in schedules.items():
                    place = {"seed": seed, "model": kind, "schedule": name}
                    study = Study(settings, model, task, batches, advance)
                    for table, part in study.tables(seed).items():
                        tables[table] += [place | row for row in part]
        for name, table in tables.items():
            record.table(name, table)
        record.numbers(rows.numbers(tables))


def check(settings: IclVsFinetune) -> None:
    """Refuse what would fail after the decoders have been trained (ConfigError)."""
    starting.check(settings.model, "decoder", settings.test)


class Study:
    """One model and one schedule of fine-tuning. `advance` is called whenever a block of episodes is done."""

    def __init__(
        self, settings: IclVsFinetune, model: Decoder, task: Task, batches: np.ndarray, advance: Callable[[], None]
    ):
        self.settings, self.model, self.task, self.advance = settings, model, task, advance
        self.batches = tuple(map(tuple, batches.tolist()))

    def tables(self, seed: int) -> dict[str, list[dict]]:
        """The rows of each table, on test episodes at the rate that is best on validation episodes."""
        test, validation = jax.random.split(jax.random.fold_in(jax.random.key(seed), 1))
        by_rate = {rate: self._measured(validation, rate, self.settings.validation) for rate in self.settings.rates}
        accuracies = {
            rate: mean_and_error(rows.by_episode(each["right"]["fine_tuned"])) for rate, each in by_rate.items()
        }
        best = max(accuracies, key=lambda rate: np.nan_to_num(accuracies[rate]["mean"], nan=-1.0))
        measured = self._measured(test, best, self.settings.episodes)
        return {
            "accuracy": rows.accuracy_rows(measured, best),
            "transfer": rows.transfer_rows(measured),
            "rates": rows.rate_rows(by_rate, best),
        }

    def _measured(self, key: jax.Array, rate: float, episodes: int) -> Measured:
        chunk = self.settings.chunk
        measure_block = functools.partial(
            measure, self.model, self.task, rate=jnp.asarray(rate, float), batches=self.batches, count=chunk
        )
        return in_blocks(measure_block, key, episodes, chunk, self.advance)
