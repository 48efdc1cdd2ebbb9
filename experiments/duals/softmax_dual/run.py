"""`softmax_dual`: softmax attention as gradient descent on random features of its kernel."""

from collections.abc import Sequence
from typing import ClassVar

import jax
import numpy as np

from analysis import errata
from experiments.duals.softmax_dual import errors, paths, replaced, variances
from experiments.duals.softmax_dual.columns import Decoders, Errors, Features, Model, PathEnds, Quantile, Table
from experiments.duals.softmax_dual.settings import SoftmaxDual
from lab.config.choices import AttentionKind
from lab.config.decoder import TrainsDecoder
from lab.errors import ConfigError
from lab.features import FEATURE_MAPS
from tasks.classification import Classification
from trainers import load_pretrained
from trainers.record import Record
from trainers.study import Part, Study, Tables


def run(records: Sequence[Record[SoftmaxDual]]) -> None:
    """Write the tables of `Table` and headline numbers.

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
    ADVICE: ClassVar = "lower errors.features, path.features or replaced.features"

    @property
    def TABLES(self) -> tuple[str, ...]:
        """The names of the tables; `replaced` is there where decoders are."""
        return tuple(name for name in Table if name is not Table.REPLACED or self.settings.replaced.features)

    def parts(self) -> Sequence[Part]:
        names = [name for name in self.TABLES if name not in (Table.PATH_ENDS, Table.SINGLE_PATHS)]
        return [Part({}, name=name) for name in names]

    def measure(self, part: Part) -> Tables:
        settings = self.settings
        if part.name == Table.REPLACED:
            decoders = load_pretrained.decoders(self.record, settings.command)
            task = load_pretrained.task_to_test(settings.command, [], Classification)
            return {Table.REPLACED: replaced.measure(settings, decoders, task)}
        if part.name == Table.ERRORS:
            return {Table.ERRORS: errors.measure(settings)}
        with jax.enable_x64(True):
            return paths.tables(settings) if part.name == Table.PATH else {Table.VARIANCES: variances.measure(settings)}

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        numbers = headline(self.settings, tables[Table.ERRORS], tables[Table.PATH_ENDS])
        return numbers | (replaced_headline(tables[Table.REPLACED]) if Table.REPLACED in tables else {})


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


def headline(settings: SoftmaxDual, error_rows: list[dict], end_rows: list[dict]) -> dict[str, float | None]:
    """Return the numbers that a summary shows.

    For each feature map the median error with the most features for the shortest and the longest queries and keys, over
    seeds; how the paths of the kernel form end, and how many of their steps make the error larger.
    """
    numbers: dict[str, float | None] = {}
    most = max(settings.errors.features)
    for name in FEATURE_MAPS:
        for word, norm in {"shortest": min(settings.errors.norms), "longest": max(settings.errors.norms)}.items():
            place = {Features.MAP: name, Features.FREQUENCIES: "iid", Features.FEATURES: most, Errors.NORM: norm}
            medians = [row[Quantile.MEDIAN] for row in error_rows if place.items() <= row.items()]
            numbers[f"error.{name}.{word}"] = float(np.mean(medians))
    kernel = [row for row in end_rows if row[Model.MODEL] == paths.KERNEL]
    numbers["end.kernel"] = max(row[PathEnds.LARGEST_END] for row in kernel)
    numbers["rises.kernel"] = float(np.mean([row[PathEnds.RISES] for row in kernel if row[Model.FORM] == "fixed"]))
    return numbers


def replaced_headline(rows: list[dict]) -> dict[str, float | None]:
    """Return the accuracies of the decoder with exact attention, and of those with the fewest independent features."""
    fewest = min(row[Features.FEATURES] for row in rows)
    numbers: dict[str, float | None] = {"accuracy.exact": float(np.mean([row[Decoders.EXACT] for row in rows]))}
    for name in FEATURE_MAPS:
        place = {Features.MAP: name, Features.FREQUENCIES: "iid", Features.FEATURES: fewest}
        accuracies = [row[Decoders.ACCURACY] for row in rows if place.items() <= row.items()]
        numbers[f"accuracy.{name}"] = float(np.mean(accuracies))
    return numbers
