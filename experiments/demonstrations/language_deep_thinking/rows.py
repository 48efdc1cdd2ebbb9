"""Makes rows of tables of what was measured with every set of demonstrations: what `deep_thinking.rows` does not.

Errors are over sets and over test rows, gains paired. Shapes: S sets, T iterations, X test rows.
"""

import math
import pathlib
from collections.abc import Mapping, Sequence

import numpy as np

from experiments.demonstrations.deep_thinking import results as study
from experiments.demonstrations.deep_thinking.rows import Readings, chosen_rows, gain_rows
from experiments.demonstrations.language_deep_thinking import results
from experiments.demonstrations.language_deep_thinking.measure import Measured
from experiments.demonstrations.tables import printed
from experiments.demonstrations.two_way import over_rows, over_sets, stacked, writer
from tasks.texts.form import Item
from tasks.texts.order import ordered

Setting = tuple[bool, float, float]  # offset, eta, beta


def columns_of(offset: bool | None, eta: float | None = None, beta: float | None = None) -> dict:
    """Return the columns of a setting, empty where it has none."""
    return {results.OFFSET: None if offset is None else int(offset), study.ETA: eta, study.BETA: beta}


def readings_of(sets: Mapping[Setting, Sequence[Measured]]) -> dict[Setting, Readings]:
    """Return the readings of each setting, of what `measure.thought` returns of every set."""
    return {
        setting: Readings(columns_of(*setting), *(stacked(each, name) for name in ("right", "loss", "validation")))
        for setting, each in sets.items()
    }


def example_rows(seeds: Sequence[int], counts: list[int], sets: Sequence[Measured], test: list[Item]) -> list[dict]:
    """Return one row per set and number of demonstrations: examples.csv."""
    chance = float(np.mean([1 / len(item.answers) for item in test]))
    frequent = max(np.bincount([item.right for item in test])) / len(test)
    share = float(frequent) if len({item.answers for item in test}) == 1 else chance
    by_count = [
        writer(seeds).rows(
            {results.COUNT: count, results.tokens.name: [int(each["tokens"][n]) for each in sets]},
            {column.name: np.stack([each[name][n] for each in sets])
             for column, name in ((results.by_examples, "right"), (results.loss, "loss"))},
        )
        for n, count in enumerate(counts)
    ]  # fmt: skip
    last = {results.chance.name: chance, results.majority.name: share}
    return [row | last for of_set in zip(*by_count, strict=True) for row in of_set]


def protocol_rows(
    seeds: Sequence[int],
    readings: Mapping[Setting, Readings],
    again: Mapping[bool, Sequence[Measured]],
    controls: Sequence[Measured],
    name: str,
) -> list[dict]:
    """Return one row per protocol and set: protocols.csv.

    `best_over_no_momentum`: the accuracy of the number that is best on the test, minus the same at this rate without
    momentum. `fresh`: the best on one half of the test rows, on the other half, and the same with the halves exchanged.
    `again`: one whole re-reading, for each offset. `twice`, `zero_shot`: the other controls.

    Args:
        name: of the data set, by which rows are halved.
    """
    rows, write = [], writer(seeds)
    for setting, each in readings.items():
        rows += chosen_rows(write, each, results.BEST)
        rows += gain_rows(write, study.FRESH, _fresh(each.right_SxTxU, name) - each.one_SxU, each.setting)
        plain = readings.get((*setting[:2], 0.0))
        if setting[2] and plain is not None:
            difference = each.after(each.best_S) - plain.after(plain.best_S)
            rows += gain_rows(write, results.NO_MOMENTUM, difference, each.setting)
    one_SxX = next(iter(readings.values())).one_SxU
    for offset, measured in again.items():
        rows += gain_rows(write, study.AGAIN, stacked(measured, "right")[:, 1] - one_SxX, columns_of(offset))
    for control in (study.TWICE, study.ZERO_SHOT):
        if all(control in each for each in controls):
            rows += gain_rows(write, control, stacked(controls, control) - one_SxX, columns_of(None))
    return rows


def published_rows(reading: Readings, data_set: str, printed: Mapping[str, float], theirs: bool) -> list[dict]:
    """Return one row per accuracy that the source printed: published.csv.

    Args:
        printed: as `published` returns it; empty where the source has none.
        theirs: whether rate, momentum and offset are the source's, on which plain in-context learning does not depend.
    """
    chosen_S = np.argmax(reading.validation_SxTxV.mean(axis=2), axis=1)
    own = (reading.one_SxU, reading.after(reading.best_S), reading.after(chosen_S))
    return [
        {
            results.DATA_SET: data_set,
            results.NUMBER: number,
            results.ours.name: float(values_SxX.mean()),
            f"{results.ours.name}.stderr": _error(values_SxX),
            results.printed.name: printed.get(name) if name else None,
        }
        for (number, name), values_SxX in zip(results.SOURCE.items(), own, strict=True)
        if theirs or number == results.IN_CONTEXT
    ]


def _error(values_SxX: np.ndarray) -> float | None:
    """Return the standard error over sets and rows; None for a single set."""
    error = math.hypot(over_sets(values_SxX), over_rows(values_SxX))
    return error if math.isfinite(error) else None


def _fresh(right_SxTxX: np.ndarray, name: str) -> np.ndarray:
    """Return whether rows are right after the number that is best on the other half of the rows, (S, X)."""
    order = ordered(range(right_SxTxX.shape[2]), f"{name}/fresh", 0)
    halves = np.array(order[::2]), np.array(order[1::2])
    fresh_SxX = np.empty_like(right_SxTxX[:, 0])
    for choosing, judging in (halves, halves[::-1]):
        best_S = np.argmax(right_SxTxX[:, :, choosing].mean(axis=2), axis=1)
        fresh_SxX[:, judging] = np.take_along_axis(right_SxTxX[:, :, judging], best_S[:, None, None], axis=1)[:, 0]
    return fresh_SxX


FILE = pathlib.Path(__file__).with_name("published.csv")


def published(family: str, layers: int, width: int, data_set: str) -> dict[str, float]:
    """Return {in_context, deep_thinking: accuracy} of a model on a data set; nothing where the source has none.

    They are from tables 1 and 2: plain in-context learning, and the best of up to 15 iterations on the test itself, at
    eta = .01 and beta = .9, by all signs with one set of demonstrations and weights of 8 bits.
    """
    shape = {"family": family, "layers": str(layers), "width": str(width), "data_set": data_set}
    for row in printed(FILE):
        if shape.items() <= row.items():
            return {name: float(row[name]) / 100 for name in ("in_context", "deep_thinking")}
    return {}
