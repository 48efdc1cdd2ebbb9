"""`softmax_dual`: softmax attention as gradient descent on random features of its kernel."""

from collections.abc import Sequence
from typing import ClassVar

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
from trainers.study import Part, Study, Tables


def run(records: Sequence[Record[SoftmaxDual]]) -> None:
    """Write the tables `errors`, `variances`, `path`, `path_ends`, `single_paths` and, of trained decoders, `replaced`,
    and headline numbers.

    Raises:
        UserError: a directory cannot be written, or the decoders are not there.
    """
    for record in records:
        Dual(record).run()
        for note in slips.LRGD:
            record.note(note)


class Dual(Study[SoftmaxDual]):
    """One part per table, or group of tables that are measured together."""

    DOING: ClassVar = "random features"
    ADVICE: ClassVar = "lower errors.features, path.features or replaced.features"

    @property
    def TABLES(self) -> tuple[str, ...]:
        """The names of the tables; `replaced` is there where decoders are."""
        decoders = ("replaced",) if self.settings.replaced.features else ()
        return (*decoders, "errors", "variances", "path", "path_ends", "single_paths")

    def parts(self) -> Sequence[Part]:
        names = [name for name in self.TABLES if name not in ("path_ends", "single_paths")]
        return [Part({}, name=name) for name in names]

    def measure(self, part: Part) -> Tables:
        settings = self.settings
        if part.name == "replaced":
            decoders, task = starting.decoders(self.record, settings.model), starting.task_of(settings.model, [])
            return {"replaced": replaced.measure(settings.replaced, decoders, task)}
        if part.name == "errors":
            return {"errors": errors.measure(settings)}
        with jax.enable_x64(True):
            return paths.tables(settings) if part.name == "path" else {"variances": variances.measure(settings)}

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        numbers = headline(self.settings, tables["errors"], tables["path_ends"])
        return numbers | (replaced_headline(tables["replaced"]) if "replaced" in tables else {})


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
