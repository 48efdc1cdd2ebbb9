"""`softmax_dual`: softmax attention as gradient descent on random features of its kernel."""

from collections.abc import Sequence

import jax
import numpy as np

from analysis import slips
from experiments.softmax_dual import errors, paths, replaced, variances
from experiments.softmax_dual.settings import SoftmaxDual
from lab.config.choices import AttentionKind
from lab.config.compose import compose_run
from lab.errors import ConfigError
from lab.features import FEATURE_MAPS
from trainers import starting
from trainers.record import Record


def run(records: Sequence[Record]) -> None:
    """Write the tables `errors`, `variances`, `path`, `path_ends`, `single_paths` and, of trained decoders, `replaced`,
    and headline numbers.

    Raises:
        UserError: a directory cannot be written, or the decoders are not there.
    """
    for record in records:
        settings, numbers = record.settings, {}
        if settings.replaced.features:
            decoders, task = starting.decoders(record, settings.model), starting.task_of(settings.model, [])
            replaced_rows = replaced.measure(settings.replaced, decoders, task)
            record.table("replaced", replaced_rows)
            numbers = replaced_headline(replaced_rows)
        error_rows = errors.measure(settings)
        record.table("errors", error_rows)
        with jax.enable_x64(True):
            record.table("variances", variances.measure(settings))
            path_tables = paths.tables(settings)
        for name, rows in path_tables.items():
            record.table(name, rows)
        record.numbers(headline(settings, error_rows, path_tables["path_ends"]) | numbers)
        for note in slips.LRGD:
            record.note(note)


def check(settings: SoftmaxDual) -> None:
    """
    Raises:
        ConfigError: the run to start from does not train decoders that classify by softmax attention.
    """
    if not settings.replaced.features:
        return
    starting.check(settings.model, "decoder")
    if compose_run(settings.model.command).model.attention is not AttentionKind.softmax:
        words = " ".join(settings.model.command)
        raise ConfigError(f"model.words: {words} trains decoders with other attention than softmax")


def headline(settings: SoftmaxDual, error_rows: list[dict], end_rows: list[dict]) -> dict[str, float]:
    """The numbers that a summary shows: for each feature map the median error with the most features for the shortest
    and the longest queries and keys, over seeds; how the paths of the kernel form end, and how many of their steps
    make the error larger."""
    numbers, most = {}, max(settings.errors.features)
    for name in FEATURE_MAPS:
        for word, norm in {"shortest": min(settings.errors.norms), "longest": max(settings.errors.norms)}.items():
            place = {"map": name, "frequencies": "iid", "features": most, "norm": norm}
            medians = [row["median"] for row in error_rows if place.items() <= row.items()]
            numbers[f"error.{name}.{word}"] = float(np.mean(medians))
    kernel = [row for row in end_rows if row["model"] == paths.KERNEL]
    numbers["end.kernel"] = max(row["largest_end"] for row in kernel)
    numbers["rises.kernel"] = float(np.mean([row["rises"] for row in kernel if row["form"] == "fixed"]))
    return numbers


def replaced_headline(rows: list[dict]) -> dict[str, float]:
    """The accuracies of the decoder with exact attention, and of those with the fewest independent features."""
    fewest = min(row["features"] for row in rows)
    numbers = {"accuracy.exact": float(np.mean([row["exact"] for row in rows]))}
    for name in FEATURE_MAPS:
        place = {"map": name, "frequencies": "iid", "features": fewest}
        numbers[f"accuracy.{name}"] = float(np.mean([row["accuracy"] for row in rows if place.items() <= row.items()]))
    return numbers
