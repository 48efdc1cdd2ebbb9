"""From losses to rows of tables and headline numbers."""

from collections.abc import Mapping, Sequence

import numpy as np

from experiments.momentum_attention.variants import LEARNED as LEARNED
from trainers.study import Row, over_seeds


def curve_rows(seeds: Sequence[int], step: int, losses: Mapping[str, np.ndarray], floor_S: np.ndarray) -> list[Row]:
    """Return one row per seed and variant: its loss (nats), the floor on the same sequences, and their difference.

    Args:
        losses: {variant: (seeds,)}.
    """
    return [
        {
            "variant": name,
            "seed": seed,
            "step": step,
            "loss": float(loss),
            "floor": float(floor),
            "excess": float(loss - floor),
        }
        for name, loss_S in losses.items()
        for seed, loss, floor in zip(seeds, loss_S, floor_S, strict=True)
    ]


def eta_rows(seeds: Sequence[int], step: int, eta_SxLxH: np.ndarray) -> list[Row]:
    """Return one row per seed, layer and head: eta where it is learned."""
    return [
        {"seed": seeds[row], "step": step, "layer": 1 + layer, "head": 1 + head, "eta": float(eta)}
        for (row, layer, head), eta in np.ndenumerate(eta_SxLxH)
    ]


def numbers(steps: int, curves: Sequence[Row]) -> dict[str, float | None]:
    """Return how far each variant's loss is above the floor at half of the steps and at the end: means over seeds."""
    moments = {steps // 2: "half", steps: "end"}
    at_moments = [row for row in curves if row["step"] in moments]
    at_moments.sort(key=lambda row: row["step"])
    return over_seeds(at_moments, "excess", lambda row: f"{moments[row['step']]}.{row['positions']}.{row['variant']}")
