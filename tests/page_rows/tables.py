"""All tables of pages whose rows are computed here, and the rows of pages with one such table."""

import math
from collections.abc import Callable

import numpy as np

from tests.page_rows import click_streams, functions, recommendation, speed, vo23
from tests.page_rows.cells import by_seed, mean, read, row, short, with_error


def quick() -> list[str]:
    """What `size=quick` took for each source, and how many claims its report has, by what it says of them."""
    profiles = read(".", "quick_profiles")
    counts = [(each, *(int(each[name]) for name in ("claims", "verdicts", "one_seed"))) for each in profiles]
    return [
        row(
            f"`{each['experiment']}`",
            round(int(each["seconds"]) / 60),
            each["cores"],
            claims,
            verdicts,
            alone,
            claims - verdicts - alone,
        )
        for each, claims, verdicts, alone in counts
    ]


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


TABLES: dict[str, tuple[str, Callable[[], list[str]]]] = {  # {name: (page, what makes its rows)}
    name: (page.PAGE, lines)
    for page in (click_streams, functions, vo23, speed, recommendation)
    for name, lines in page.TABLES.items()
} | {
    "quick": ("report.md", quick),
    "steadiness": ("real-data.md", steadiness),
    "interleaved": ("tokens-and-features.md", interleaved),
}
