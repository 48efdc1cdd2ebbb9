"""Rows of docs/real-data.md."""

import math

import numpy as np

from tests.page_rows.cells import read, row, with_error

PAGE = "real-data.md"


def steadiness() -> list[str]:
    """The smallest ratio of a batch's loss to that of the next one, with raw inputs, z-score and min-max."""
    return [
        row(
            data,
            *(
                ", ".join(_steadiness(data, how, learner) for how in ("none", "zscore", "minmax"))
                for learner in ("transformer", "learned_descent")
            ),
        )
        for data in ("bike", "california", "calories", "wine")
    ]


def _steadiness(data: str, how: str, learner: str) -> str:
    largest: dict[str, float] = {}
    for each in read("raw_inputs", "curves"):
        jump = each[f"train_jump.{learner}"]
        if (each["data"], each["data.normalization"]) == (data, how) and jump:
            largest[each["seed"]] = max(largest.get(each["seed"], -math.inf), float(jump))
    values = 1 / np.array([*largest.values()])
    return with_error(values, 3 if np.mean(values) >= 1e-3 else 4)


TABLES = {"steadiness": steadiness}
