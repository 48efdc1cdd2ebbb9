"""Makes rows of tables and headline numbers of losses."""

from collections.abc import Mapping, Sequence

import numpy as np

from experiments.duals.momentum_attention.columns import Common, Curves, Etas
from experiments.duals.momentum_attention.variants import LEARNED as LEARNED
from trainers.study import Row, over_seeds


def curve_rows(
    seeds: Sequence[int],
    step: int,
    losses: Mapping[str, np.ndarray],
    accuracies: Mapping[str, np.ndarray],
    references: Mapping[str, np.ndarray],
) -> list[Row]:
    """Return one row per seed and variant: the columns `Curves`.

    What says which curve a row is of stands before the step, as shared figures expect of a curve.

    Args:
        losses, accuracies: {variant: (seeds,)}.
        references: {column: (seeds,)} of answers that learn nothing, with `Curves.FLOOR` among them.
    """
    return [
        {
            Curves.VARIANT: name,
            Common.STEP: step,
            Common.SEED: seed,
            Curves.LOSS: float(loss_S[i]),
            **{column: float(reference_S[i]) for column, reference_S in references.items()},
            Curves.EXCESS: float(loss_S[i] - references[Curves.FLOOR][i]),
            Curves.ACCURACY: float(accuracies[name][i]),
        }
        for name, loss_S in losses.items()
        for i, seed in enumerate(seeds)
    ]


def eta_rows(seeds: Sequence[int], step: int, eta_SxLxH: np.ndarray) -> list[Row]:
    """Return one row per seed, layer and head: the columns `Etas`."""
    return [
        {
            Common.SEED: seeds[row],
            Common.STEP: step,
            Etas.LAYER: 1 + layer,
            Etas.HEAD: 1 + head,
            Etas.ETA: float(eta),
        }
        for (row, layer, head), eta in np.ndenumerate(eta_SxLxH)
    ]


def numbers(steps: int, curves: Sequence[Row]) -> dict[str, float | None]:
    """Return how far each variant's loss is above the floor at half of the steps and at the end, and its accuracy at
    the end: means over seeds."""
    moments = {steps // 2: "half", steps: "end"}
    at_moments = [row for row in curves if row[Common.STEP] in moments]
    at_moments.sort(key=lambda row: row[Common.STEP])

    def place(row: Row) -> str:
        return f"{row[Common.POSITIONS]}.{row[Curves.VARIANT]}"

    excesses = over_seeds(at_moments, Curves.EXCESS, lambda row: f"{moments[row[Common.STEP]]}.{place(row)}")
    at_end = [row for row in at_moments if row[Common.STEP] == steps]
    return excesses | over_seeds(at_end, Curves.ACCURACY, lambda row: f"accuracy.{place(row)}")
