"""Makes rows of tables of what was measured with every set. Errors are over sets and over test rows, gains paired."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from analysis.metrics.two_way import over_rows, over_sets, set_columns, stacked
from analysis.tables import thinking_rows
from experiments.demonstrations.language_deep_thinking.columns import (
    AGAIN,
    BEST,
    FRESH,
    IN_CONTEXT,
    NO_MOMENTUM,
    OFFSET,
    TWICE,
    VALIDATED,
    ZERO_SHOT,
    Common,
    Examples,
    Iterations,
    Protocols,
    Published,
)
from experiments.demonstrations.language_deep_thinking.measure import Measured
from tasks.texts.form import Item
from tasks.texts.order import ordered

Setting = tuple[bool, float, float]  # offset, eta, beta
Sets = Mapping[Setting, Sequence[Measured]]  # of each set of demonstrations


def example_rows(seeds: Sequence[int], counts: list[int], sets: Sequence[Measured], test: list[Item]) -> list[dict]:
    """Return one row per set and number of demonstrations: the columns `Examples`."""
    chance = float(np.mean([1 / len(item.answers) for item in test]))
    frequent = max(np.bincount([item.right for item in test])) / len(test)
    share = float(frequent) if len({item.answers for item in test}) == 1 else chance
    rows = []
    for place, seed in enumerate(seeds):
        for n, count in enumerate(counts):
            right, loss = (np.stack([each[name][n] for each in sets]) for name in ("right", "loss"))
            rows.append(
                {Examples.SEED: seed, Examples.EXAMPLES: count, Examples.TOKENS: int(sets[place]["tokens"][n])}
                | set_columns(Examples.ACCURACY, right, place)
                | set_columns(Examples.LOSS, loss, place)
                | {Examples.CHANCE: chance, Examples.MAJORITY: share}
            )
    return rows


def iteration_rows(seeds: Sequence[int], sets: Sets) -> list[dict]:
    """Return one row per set, setting and number of iterations: the columns `Iterations`."""
    rows = []
    for setting, measured in sets.items():
        right_SxTxX, loss_SxTxX = (stacked(measured, name) for name in ("right", "loss"))
        for place, seed in enumerate(seeds):
            for t in range(right_SxTxX.shape[1]):
                rows.append(
                    {Common.SEED: seed, **_columns(setting), Common.ITERATIONS: t + 1}
                    | set_columns(Iterations.ACCURACY, right_SxTxX[:, t], place)
                    | set_columns(Iterations.GAIN, right_SxTxX[:, t] - right_SxTxX[:, 0], place)
                    | set_columns(Iterations.LOSS_DIFFERENCE, loss_SxTxX[:, t] - loss_SxTxX[:, 0], place)
                )
    return rows


def protocol_rows(
    seeds: Sequence[int], sets: Sets, again: Mapping[bool, Sequence[Measured]], controls: Sequence[Measured], name: str
) -> list[dict]:
    """Return one row per set and protocol, and setting where it has some: the columns `Protocols`.

    `validated`: the number of iterations that is the best on the set's validation rows. `best_test`: the source's, the
    best on the test rows themselves; and `best_over_no_momentum`, its accuracy less that of the same rate without
    momentum. `fresh`: the best on one half of the test rows, on the other half, and the same with the halves
    exchanged. `again`: one whole re-reading, for each offset. `twice`, `zero_shot`: the other controls.

    Args:
        name: of the data set, by which rows are halved.
    """
    rows = []
    for setting, measured in sets.items():
        right_SxTxX = stacked(measured, "right")
        validation_SxT = stacked(measured, "validation").mean(axis=2)
        protocols = {
            VALIDATED: (_at(right_SxTxX, np.argmax(validation_SxT, axis=1)), np.argmax(validation_SxT, axis=1) + 1),
            BEST: (_best(right_SxTxX), np.argmax(right_SxTxX.mean(axis=2), axis=1) + 1),
            FRESH: (_fresh(right_SxTxX, name), None),
        }
        for protocol, (chosen_SxX, count_S) in protocols.items():
            rows += _protocol_rows(seeds, protocol, chosen_SxX - right_SxTxX[:, 0], setting, count_S)
        plain = sets.get((*setting[:2], 0.0))
        if setting[2] and plain is not None:
            difference = _best(right_SxTxX) - _best(stacked(plain, "right"))
            rows += _protocol_rows(seeds, NO_MOMENTUM, difference, setting)
    plain_SxX = stacked(next(iter(sets.values())), "right")[:, 0]
    for offset, measured in again.items():
        gain = stacked(measured, "right")[:, 1] - plain_SxX
        rows += _protocol_rows(seeds, AGAIN, gain, (offset, math.nan, math.nan))
    for control in (TWICE, ZERO_SHOT):
        if all(control in each for each in controls):
            rows += _protocol_rows(seeds, control, stacked(controls, control) - plain_SxX)
    return rows


def _protocol_rows(
    seeds: Sequence[int],
    protocol: str,
    gain_SxX: np.ndarray,
    setting: Setting | None = None,
    count_S: np.ndarray | None = None,
) -> list[dict]:
    return [
        {Common.SEED: seed, Protocols.PROTOCOL: protocol, **_columns(setting)}
        | {Common.ITERATIONS: None if count_S is None else int(count_S[place])}
        | set_columns(Protocols.GAIN, gain_SxX, place)
        for place, seed in enumerate(seeds)
    ]


def norm_rows(seeds: Sequence[int], sets: Sets) -> list[dict]:
    """Return one row per set, setting, layer and iteration: the columns `Norms`, of the updates of keys."""
    return [
        {Common.SEED: seed, OFFSET: int(setting[0])} | row
        for setting, measured in sets.items()
        for seed, each in zip(seeds, measured, strict=True)
        for row in thinking_rows.norm_rows(each["key_norms"], setting[1], setting[2])
    ]


def published_rows(sets: Sequence[Measured], data_set: str, published: Mapping[str, float]) -> list[dict]:
    """Return one row per accuracy that the source printed: the columns `Published`.

    Args:
        sets: with the source's rate, momentum and offset, which plain in-context learning does not depend on.
        published: {in_context, deep_thinking: accuracy}; empty where the source has none.
    """
    right_SxTxX = stacked(sets, "right")
    chosen_S = np.argmax(stacked(sets, "validation").mean(axis=2), axis=1)
    ours = {
        IN_CONTEXT: (right_SxTxX[:, 0], published.get("in_context")),
        BEST: (_best(right_SxTxX), published.get("deep_thinking")),
        VALIDATED: (_at(right_SxTxX, chosen_S), None),
    }
    return [
        {
            Published.DATA_SET: data_set,
            Published.NUMBER: number,
            Published.OURS: float(values_SxX.mean()),
            Published.ERROR: _error(values_SxX),
            Published.PUBLISHED: printed,
        }
        for number, (values_SxX, printed) in ours.items()
    ]  # fmt: skip


def _error(values_SxX: np.ndarray) -> float | None:
    """Return the standard error over sets and rows; None for a single set."""
    error = math.hypot(over_sets(values_SxX), over_rows(values_SxX))
    return error if math.isfinite(error) else None


def _columns(setting: Setting | None) -> dict:
    """Return the columns of a setting, empty where it has none."""
    offset, eta, beta = setting or (None, math.nan, math.nan)
    return {
        OFFSET: None if offset is None else int(offset),
        Common.ETA: None if math.isnan(eta) else eta,
        Common.BETA: None if math.isnan(beta) else beta,
    }


def _at(values_SxTxX: np.ndarray, place_S: np.ndarray) -> np.ndarray:
    return np.take_along_axis(values_SxTxX, place_S[:, None, None], axis=1)[:, 0]


def _best(right_SxTxX: np.ndarray) -> np.ndarray:
    """Return whether rows are right after the number of iterations that is best for each set on these rows, (S, X)."""
    return _at(right_SxTxX, np.argmax(right_SxTxX.mean(axis=2), axis=1))


def _fresh(right_SxTxX: np.ndarray, name: str) -> np.ndarray:
    """Return whether rows are right after the number that is best on the other half of the rows, (S, X)."""
    order = ordered(range(right_SxTxX.shape[2]), f"{name}/fresh", 0)
    halves = np.array(order[::2]), np.array(order[1::2])
    fresh_SxX = np.empty_like(right_SxTxX[:, 0])
    for choosing, judging in (halves, halves[::-1]):
        best_S = np.argmax(right_SxTxX[:, :, choosing].mean(axis=2), axis=1)
        fresh_SxX[:, judging] = _at(right_SxTxX[:, :, judging], best_S)
    return fresh_SxX
