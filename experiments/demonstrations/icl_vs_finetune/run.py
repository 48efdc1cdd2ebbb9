"""`icl_vs_finetune`: is learning in context like fine-tuning on the same examples? [DAI], with nulls."""

import functools
from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.alignment import mean_and_error
from experiments.demonstrations.icl_vs_finetune import results, rows
from experiments.demonstrations.icl_vs_finetune.fine_tuned import full_batch, one_epoch
from experiments.demonstrations.icl_vs_finetune.measure import Measured, measure
from experiments.demonstrations.icl_vs_finetune.results import ARMS
from experiments.demonstrations.icl_vs_finetune.settings import IclVsFinetune
from lab.learners.decoder import Decoder
from tasks.classification import Classification
from trainers import load_pretrained
from trainers.streams import Stream
from trainers.study import Part, Study, Tables, blocks_of

TRAINED, UNTRAINED = "trained", "untrained"


def check(settings: IclVsFinetune) -> None:
    """Refuse what would fail after the decoders have been trained (ConfigError)."""
    load_pretrained.check(settings.command, "decoder", settings.test)


class FineTuning(Study[IclVsFinetune]):
    """One part per decoder and schedule of fine-tuning."""

    TABLES: ClassVar = results.TABLES
    DOING: ClassVar = "fine-tuning"
    UNDEFINED: ClassVar = ARMS  # a fine-tuning may diverge

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        self.task = load_pretrained.task_to_test(
            settings.command, [*settings.test, f"task.num_queries={settings.queries}"], Classification
        )
        decoders = load_pretrained.decoders(self.record, settings.command)
        self.models = {
            (seed, name): decoder
            for seed, trained in decoders.items()
            for name, decoder in (
                (TRAINED, trained),
                (UNTRAINED, Decoder(trained.shape, self.key(seed, Stream.parameters))),
            )
        }
        self.schedules = {
            "one_epoch": one_epoch(self.task.num_context),
            "full_batch": full_batch(self.task.num_context, settings.steps),
        }
        counts = settings.validation, settings.eval.episodes
        choice, test = (blocks_of(count, settings.eval.block) for count in counts)
        return [
            Part(
                {results.SEED: seed, results.MODEL: model, results.SCHEDULE: schedule},
                len(settings.learning_rates) * choice + test,
            )
            for seed, model in self.models
            for schedule in self.schedules
        ]

    def measure(self, part: Part) -> Tables:
        """Return the rows on test episodes, at the rate that is best on other episodes."""
        settings = self.settings
        by_rate = {
            rate: self._measured(part, Stream.choice, rate, settings.validation) for rate in settings.learning_rates
        }
        accuracies = {
            rate: mean_and_error(rows.by_episode(each["right"]["fine_tuned"]))["mean"] for rate, each in by_rate.items()
        }
        best = max(accuracies, key=lambda rate: np.nan_to_num(accuracies[rate], nan=-1.0))
        measured = self._measured(part, Stream.test, best, settings.eval.episodes)
        return {
            results.ACCURACY: rows.accuracy_rows(measured, best),
            results.TRANSFER: rows.transfer_rows(measured),
            results.RATES: rows.rate_rows(by_rate, best),
        }

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        """Return the headline numbers; a note says how many fine-tunings they leave out."""
        of_arms = [row for row in tables[results.ACCURACY] if row[results.LEARNER] in ARMS]
        if diverged := sum(row[results.accuracy.name] is None for row in of_arms):
            self.record.note(f"{diverged} of {len(of_arms)} fine-tunings diverged at the best rate, and are left out")
        return super().numbers(tables)

    def _measured(self, part: Part, stream: Stream, rate: float, episodes: int) -> Measured:
        seed, model, schedule = part.columns.values()
        batches = tuple(map(tuple, self.schedules[schedule].tolist()))
        measure_block = functools.partial(
            measure, self.models[seed, model], self.task.of_seed(seed), rate=jnp.asarray(rate, float), batches=batches,
            count=self.settings.eval.block,
        )  # fmt: skip
        key: jax.Array = self.key(seed, stream)
        return self.blocks(f"{stream.name}, rate {rate}", measure_block, key, episodes, self.settings.eval.block)


run = FineTuning.run_each
