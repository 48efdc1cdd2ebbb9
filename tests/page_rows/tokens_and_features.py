"""Rows of docs/tokens-and-features.md."""

import numpy as np

from tests.page_rows.cells import by_seed, mean, row, short, with_error

PAGE = "tokens-and-features.md"


def interleaved() -> list[str]:
    """Interleaved tokens, by the first layer: losses, and alignment with three learners and with the construction."""
    parts = ("softmax", "linear", "linear_muon")

    def of(column: str, part: str, learner: str = "transformer") -> np.ndarray:
        return by_seed("interleaved", "seeds", column, part=part, learner=learner, evaluation="test")

    def listed(values: np.ndarray) -> str:
        return ", ".join(short(float(value)) for value in values)

    def each_seed(values: np.ndarray) -> str:
        """The mean where all seeds are alike; else every seed, in their order."""
        return mean(values) if np.ptp(values) < 0.02 else listed(values)

    excess = {part: of("loss", part) / of("loss", part, "gradient_descent") - 1 for part in parts}
    aligned = {
        "cosine with the constructed one": ("sensitivity_cosine", "constructed"),
        "cosine with two steps of gradient descent": ("sensitivity_cosine", "further_descent"),
        "cosine with GD++": ("sensitivity_cosine", "gd_plus_plus"),
        "difference of predictions from the constructed one": ("prediction_l2", "constructed"),
    }
    return [
        row("loss", *(with_error(of("loss", part)) for part in parts)),
        row("loss of each seed", *(listed(of("loss", part)) for part in parts)),
        row("loss / one step's - 1", *(with_error(excess[part], 4) for part in parts)),
        *(
            row(name, *(each_seed(of(column, part, learner)) for part in parts))
            for name, (column, learner) in aligned.items()
        ),
    ]


TABLES = {"interleaved": interleaved}
