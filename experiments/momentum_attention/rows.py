"""From losses to rows of tables and headline numbers."""

import numpy as np

from experiments.momentum_attention.settings import MomentumAttention
from experiments.momentum_attention.variants import LEARNED, variants
from lab.config.choices import Position

FLOOR = "floor"


def curve_rows(settings: MomentumAttention, positions: Position, step: int, losses: dict) -> list[dict]:
    """One row per seed and variant: its loss (nats), the floor on the same sequences, and what it has more.

    losses: {variant or FLOOR: (seeds,)}."""
    return [
        {
            "positions": positions.value,
            "variant": name,
            "seed": settings.seed + row,
            "step": step,
            "loss": float(loss),
            "floor": float(losses[FLOOR][row]),
            "excess": float(loss - losses[FLOOR][row]),
        }
        for name, each in losses.items()
        if name != FLOOR
        for row, loss in enumerate(each)
    ]


def eta_rows(settings: MomentumAttention, positions: Position, step: int, etas: np.ndarray) -> list[dict]:
    """One row per seed, layer and head: eta where it is learned. etas: (seeds, variants, layers, heads)."""
    learned = etas[:, [*variants(settings.eta)].index(LEARNED)]
    return [
        {
            "positions": positions.value,
            "seed": settings.seed + row,
            "step": step,
            "layer": 1 + layer,
            "head": 1 + head,
            "eta": float(eta),
        }
        for (row, layer, head), eta in np.ndenumerate(learned)
    ]


def numbers(settings: MomentumAttention, rows: list[dict]) -> dict[str, float]:
    """Mean over seeds of what each variant's loss is above the floor, at half of the steps and at the end."""
    moments = {"half": settings.train.steps // 2, "end": settings.train.steps}
    result = {}
    for moment, step in moments.items():
        by_name: dict[str, list[float]] = {}
        for row in rows:
            if row["step"] == step:
                by_name.setdefault(f"{moment}.{row['positions']}.{row['variant']}", []).append(row["excess"])
        result |= {name: float(np.mean(values)) for name, values in by_name.items()}
    return result
