"""The part of the order of the same demonstrations in what is answered (Shen et al. 2023, arXiv 2310.08540): in
context, after fine-tuning on one at a time in that order, and on all at once, where only rounding may differ.

Shapes: S sets, P orders, X test rows.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from experiments.demonstrations.language_finetune import results
from experiments.demonstrations.two_way import stacked, writer
from tasks.texts.order import ordered
from trainers.store import Tree


def drawn(count: int, orders: int, name: str, seed: int) -> list[tuple[int, ...]]:
    """Return different orders of `count` demonstrations, the same ones on every machine and the given one first; all
    of them where there are no more."""
    result, number = {(*range(count),): None}, 0
    while len(result) < min(orders, math.factorial(count)):
        number += 1
        result[(*ordered(range(count), f"{name}/order {number}", seed),)] = None
    return [*result]


def order_rows(seeds: Sequence[int], ways: Mapping[str, Sequence[Tree]]) -> list[dict]:
    """Return one row per set and way: order.csv.

    The spread of a row is the standard deviation over the orders of the probability of its right answer; `accuracy`
    is the mean over the orders, and its own spread that of the set's accuracy. Without a second order there is none.

    Args:
        ways: {way: `right` and `loss` (P, X) of each set}. All sets of one way have as many orders.
    """
    right = {way: stacked(sets, "right") for way, sets in ways.items()}
    spreads = {way: _spread(np.exp(-stacked(sets, "loss"))) for way, sets in ways.items()}
    rows = []
    for way, right_SxPxX in right.items():
        rows += writer(seeds).rows(
            {results.WAY: way, results.ORDERS: right_SxPxX.shape[1]},
            {
                results.mean_accuracy.name: right_SxPxX.mean(axis=1),
                results.of_accuracy.name: _spread(right_SxPxX.mean(axis=2)),
                results.spread.name: spreads[way],
                results.excess.name: spreads[way] - spreads[results.SGD],
            },
        )
    return rows


def _spread(values_SxP: np.ndarray) -> np.ndarray:
    """Return the standard deviation over the orders, the second axis; NaN for a single one."""
    orders = values_SxP.shape[1]
    return values_SxP.std(axis=1, ddof=1) if orders > 1 else np.full_like(values_SxP[:, 0], np.nan)
