"""`softmax_dual`: softmax attention as gradient descent on random features of its kernel."""

from collections.abc import Sequence
from typing import ClassVar

import jax

from analysis import errata
from experiments.duals.softmax_dual import errors, path, replaced, variances
from experiments.duals.softmax_dual.results import ENDS, ERRORS, PATH, REPLACED, SINGLE, TABLES, VARIANCES
from experiments.duals.softmax_dual.settings import SoftmaxDual
from lab.config.choices import AttentionKind
from lab.config.decoder import TrainsDecoder
from lab.errors import ConfigError
from tasks.classification import Classification
from trainers import load_pretrained
from trainers.record import Record
from trainers.study import Part, Study, Tables


def run(records: Sequence[Record[SoftmaxDual]]) -> None:
    """Write the tables and headline numbers.

    Raises:
        UserError: a directory cannot be written, or the decoders are not there.
    """
    for record in records:
        Dual(record).run()
        for note in errata.LRGD:
            record.note(note)


class Dual(Study[SoftmaxDual]):
    """One part per table, or group of tables that are measured together."""

    DOING: ClassVar = "random features"

    @property
    def TABLES(self) -> tuple[str, ...]:
        """The names of the tables; `replaced` is there where decoders are."""
        return tuple(name for name in TABLES if name != REPLACED or self.settings.replaced.features)

    def parts(self) -> Sequence[Part]:
        names = [name for name in self.TABLES if name not in (ENDS, SINGLE)]
        return [Part({}, name=name) for name in names]

    def measure(self, part: Part) -> Tables:
        settings = self.settings
        if part.name == REPLACED:
            decoders = load_pretrained.decoders(self.record, settings.command)
            task = load_pretrained.task_to_test(settings.command, [], Classification)
            return {REPLACED: replaced.measure(settings, decoders, task)}
        if part.name == ERRORS:
            return {ERRORS: errors.measure(settings)}
        with jax.enable_x64(True):
            return path.tables(settings) if part.name == PATH else {VARIANCES: variances.measure(settings)}


def check(settings: SoftmaxDual) -> None:
    """
    Raises:
        ConfigError: the run to start from does not train decoders that classify by softmax attention.
    """
    if not settings.replaced.features:
        return
    load_pretrained.check(settings.command, "decoder")
    if load_pretrained.settings_of(settings.command, TrainsDecoder).model.attention is not AttentionKind.softmax:
        words = " ".join(settings.command)
        raise ConfigError(f"model.words: {words} trains decoders with other attention than softmax")
