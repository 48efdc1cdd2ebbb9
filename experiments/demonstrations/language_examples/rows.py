"""Makes the tables of `language_examples` from what was answered behind every number of demonstrations.

Errors are over sets of demonstrations and over test rows. Shapes: N numbers of demonstrations, S sets, X test rows.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from experiments.demonstrations.language_examples import results
from experiments.demonstrations.two_way import stacked, writer
from tasks.texts.form import Item
from tasks.texts.settings import Answer

WAYS = tuple(way.value for way in Answer)
Measured = Mapping[str, np.ndarray]


def tables(
    seeds: Sequence[int], counts: Sequence[int], by_count: Sequence[Sequence[Measured]], test: Sequence[Item]
) -> dict[str, list[dict]]:
    """Return the rows of one data set: {table: rows}.

    Args:
        counts: the numbers of demonstrations, of which the first is 0.
        by_count: (N, S) trees as `run.answered` returns them, for the groups `test` and `validation`.
    """
    right = {way: _all(by_count, f"test.right.{way}") for way in WAYS}
    chosen_by = {way: _all(by_count, f"validation.right.{way}").sum(axis=(1, 2)) for way in WAYS}
    return {
        results.EXAMPLES: _examples(seeds, counts, by_count, right, test),
        results.CHOSEN: [
            row
            for ways in (*((way,) for way in WAYS), WAYS)
            for row in _chosen(seeds, counts, right, {way: chosen_by[way] for way in ways})
        ],
    }


def _all(by_count: Sequence[Sequence[Measured]], name: str) -> np.ndarray:
    """Return an array (N, S, X)."""
    return np.stack([stacked(trees, name) for trees in by_count])


def _examples(
    seeds: Sequence[int],
    counts: Sequence[int],
    by_count: Sequence[Sequence[Measured]],
    right: Mapping[str, np.ndarray],
    test: Sequence[Item],
) -> list[dict]:
    classes = len(test[0].answers)
    frequent = float(np.bincount([item.right for item in test]).max() / len(test))
    rows = []
    for way in WAYS:
        loss, validation = (_all(by_count, f"{name}.{way}") for name in ("test.loss", "validation.right"))
        for n, count in enumerate(counts):
            numbers = {
                results.accuracy: right[way][n],
                results.by_examples: right[way][n] - right[way][0],
                results.loss: loss[n],
                results.validation: validation[n].mean(axis=1),
                results.tokens: np.array([int(tree["tokens"]) for tree in by_count[n]]),
                results.chance: np.full(len(seeds), 1 / classes),
                results.majority: np.full(len(seeds), frequent),
            }
            place = {results.COUNT: count, results.WAY: way}
            rows += writer(seeds).rows(place, {column.name: values for column, values in numbers.items()})
    return rows


def _chosen(
    seeds: Sequence[int],
    counts: Sequence[int],
    right: Mapping[str, np.ndarray],
    chosen_by: Mapping[str, np.ndarray],
) -> list[dict]:
    """Return one row per set, of the way and the number of demonstrations that are best on validation rows.

    What is compared with, the answers without demonstrations, has its own best way.

    Args:
        chosen_by: {way: (N,) how many validation rows of all sets are right}, for one way or all of them. Of equal
            ones the first way counts, and the fewest demonstrations.
    """
    alone = max(chosen_by, key=lambda way: chosen_by[way][0])
    pairs = [(way, n) for way in chosen_by for n in range(1, len(counts))]
    way, n = max(pairs, key=lambda pair: chosen_by[pair[0]][pair[1]])
    one_SxX, zero_SxX = right[way][n], right[alone][0]
    place = {results.CHOICE: way if len(chosen_by) == 1 else results.ANY}
    place |= {results.chosen_way.name: way, results.alone_way.name: alone, results.chosen_count.name: counts[n]}
    numbers = {results.chosen_accuracy: one_SxX, results.zero_shot: zero_SxX, results.gain: one_SxX - zero_SxX}
    return writer(seeds).rows(place, {column.name: values for column, values in numbers.items()})
