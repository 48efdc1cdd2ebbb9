"""`language_model`: a small language model is trained on generated documents, and kept as a folder that any reader of
the hub's models can read, with two tables of labelled texts beside it."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from experiments.demonstrations.language_model import results
from experiments.demonstrations.language_model.results import EXCHANGED, NATURAL
from experiments.demonstrations.language_model.settings import LanguageModel
from lab.config.language import require_extra
from tasks.sentences import Sentences, best_accuracy
from tasks.texts.words import ANSWER, NUMBER, PER_EXAMPLE
from trainers.language import small
from trainers.language.small import Reader
from trainers.loss_curve import loss_of
from trainers.population import at
from trainers.record import Record
from trainers.streams import Stream
from trainers.study import Part, Study, Tables, blocks_of


def check(settings: LanguageModel) -> None:
    """Refuse what could not be saved after the training.

    Raises:
        ConfigError: the extra `language` is not installed.
    """
    require_extra()


def run(records: Sequence[Record[LanguageModel]]) -> None:
    """Train, measure and keep the model.

    Raises:
        UserError: the training diverges, or a directory cannot be written.
    """
    for record in records:
        study = Training(record)
        study.run()
        folder = record.directory.folder(small.MODEL, small.FILES)
        small.write(folder, study.reader())


class Training(Study[LanguageModel]):
    """One part: the training of one model, and its measurement."""

    TABLES: ClassVar = results.TABLES
    DOING: ClassVar = "training"

    def parts(self) -> Sequence[Part]:
        self.task = Sentences(**vars(self.settings.task))
        blocks = blocks_of(self.settings.eval.documents, self.settings.eval.block)
        return [Part({results.SEED: self.settings.seed}, blocks)]

    def reader(self) -> Reader:
        """Return the trained model, which is read where it is trained already."""
        return self._trained()[0]

    def measure(self, part: Part) -> Tables:
        settings, (reader, curve) = self.settings, self._trained()
        block = functools.partial(_right, reader, self.task, count=settings.eval.block)
        key = self.key(settings.seed, Stream.test)
        measured = self.blocks("test", block, key, settings.eval.documents, settings.eval.block)
        written = {results.TRAIN: (Stream.choice, settings.rows_wrong), results.TEST: (Stream.problems, 0.0)}
        tables: Tables = {results.CURVES: curve, results.EXAMPLES: example_rows(measured, self.task)}
        for table, (stream, wrong) in written.items():
            tables[table] = small.labelled_rows(settings.seed, stream, settings.rows, wrong)
        return tables

    def _trained(self) -> tuple[Reader, list[dict]]:
        settings = self.settings
        session = small.session_of(
            settings.model, settings.train, self.task, settings.seed, settings.device, self.programs
        )
        look = loss_of(session, small.MODEL, self.key(settings.seed, Stream.validation))
        learners, curve = self.trained(small.MODEL, session, [settings.seed], look)
        reader = at(learners[small.MODEL], 0)
        assert isinstance(reader, Reader)  # as the session makes it
        return reader, curve


@functools.partial(jax.jit, static_argnames=("count",))
def _right(reader: Reader, task: Sentences, key: jax.Array, count: int) -> dict[str, jax.Array]:
    """Return 1 where the model is right at an example of documents with wrong words, else 0, {question.words: (B, N)}.

    The answer is the likeliest of the question's words, and the right one is what the document would say without
    wrong words. NaN where the likeliest word's logit is no finite number.
    """
    measured = {}
    for question, words in task.asked.items():
        first = NUMBER[words[0]]
        for sort, probability in ((NATURAL, 0.0), (EXCHANGED, 1.0)):
            of_sort = dataclasses.replace(task, exchanged=probability, question=question)
            shown_BxT = of_sort.tokens(key, count)
            clean_BxT = dataclasses.replace(of_sort, wrong=0.0).tokens(key, count)
            logits_BxTxV = jax.vmap(lambda tokens_T: reader.model.logits(tokens_T))(shown_BxT)
            logits_BxNxW = logits_BxTxV[:, ANSWER - 1 :: PER_EXAMPLE, first : first + len(words)]
            right_BxN = jnp.argmax(logits_BxNxW, axis=-1) + first == clean_BxT[:, ANSWER::PER_EXAMPLE]
            is_number_BxN = jnp.isfinite(jnp.max(logits_BxNxW, axis=-1))
            measured[f"{question}.{sort}"] = jnp.where(is_number_BxN, right_BxN, jnp.nan)
    return measured


def example_rows(measured: dict[str, np.ndarray], task: Sentences) -> list[dict]:
    """Return one row per question, sort of document and number of examples: examples.csv."""
    rows = []
    for question, words in task.asked.items():
        for sort in (NATURAL, EXCHANGED):
            right_BxN = measured[f"{question}.{sort}"].astype(np.float64)
            rows += [
                {results.QUESTION: question, results.WORDS: sort, results.COUNT: number}
                | mean_over_episodes(results.accuracy.name, right_BxN[:, number])
                | {
                    results.chance.name: 1 / len(words),
                    results.best.name: best_accuracy(number, len(words), float(task.wrong), float(task.exchanged)),
                }
                for number in range(right_BxN.shape[1])
            ]
    return rows
