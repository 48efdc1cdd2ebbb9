"""Rows of docs/click-streams.md: what prompts of many targets lose."""

from collections.abc import Sequence

import numpy as np

from tests.page_rows.cells import by_seed, read, row, with_error
from tests.page_rows.click_parts import BEST, PARTS, SLIDING, STREAMING, beside_bayes, gap

PAGE = "click-streams.md"
LONG = ("sliding", "naive_10", "naive", "no_id", "alibi", "reset", "dti", "own", "split")
FAR = ("sliding", "naive", "dti", "own", "split", "deep_split", "shallow_naive", "shallow_split")
LEARNED = ("sliding", "naive", "no_id", "own", "alibi", "reset", "dti", "split")
PACKED = (
    (SLIDING, 1),
    *((part, targets) for part in ("naive", "dti") for targets in (10, 30, 40, 50)),
    ("split", 50),
)


def long() -> list[str]:
    """The same with three times the steps; differences from sliding windows are of their four seeds."""
    seeds = {part: len(by_seed("dti_long", "clicks", "auc", part=part, answers=SLIDING)) for part in LONG}
    return [row(PARTS[part], seeds[part], *beside_bayes("dti_long", part)) for part in LONG]


def packing() -> list[str]:
    """By the number of targets: AUC, log loss and F1 on sliding windows and beside one target, the gap and the leak."""
    columns, lines = ("auc", "log_loss", "f1"), []
    sliding = {column: _by_targets(SLIDING, 1, SLIDING, column) for column in columns}
    for part, targets in PACKED:
        numbers = {column: _by_targets(part, targets, SLIDING, column) for column in columns}
        auc, paired = numbers["auc"], []
        for column, reference in sliding.items():
            common = numbers[column][: len(reference)]  # the first of its seeds
            paired.append("" if targets == 1 else with_error(common - reference, 4))
        best, streaming = (_by_targets(part, targets, answers, "auc") for answers in (BEST, STREAMING))
        cells = [with_error(best - auc, 4), gap(_by_targets(part, targets, STREAMING, "gap.auc"))]
        lines.append(
            row(PARTS[part], targets, len(auc), with_error(auc), *paired, *cells, with_error(streaming - best, 4))
        )
    return lines


def _by_targets(part: str, targets: int, answers: str, column: str) -> np.ndarray:
    return by_seed("dti", "clicks", column, part=part, targets=targets, answers=answers)


def far() -> list[str]:
    """Where a click depends on an item far back: the same columns as those of `long`, and seconds for one model."""
    return [row(PARTS[part], *beside_bayes("dti_far", part), _seconds("dti_far", part)) for part in FAR]


def _seconds(figure: str, part: str) -> str:
    """Return the seconds of one thread that the training of one model took."""
    (spent,) = (each for each in read(figure, "spent") if each["part"] == part)
    return f"{int(spent['steps']) * float(spent['milliseconds']) / 1e3:.0f}"


def far_along() -> list[str]:
    """AUC on sliding windows of the first test users, after some steps."""
    return _along("dti_far", FAR, (375, 750, 1500, 3000))


def learned_along() -> list[str]:
    """The same with learned positions."""
    return _along("dti_learned", LEARNED, (93, 187, 375, 750, 1500))


def _along(figure: str, parts: Sequence[str], steps: Sequence[int]) -> list[str]:
    return [
        row(
            PARTS[part],
            *(with_error(by_seed(figure, "curves", "auc.sliding", part=part, step=each)) for each in steps),
        )
        for part in parts
    ]


def learned() -> list[str]:
    """With learned positions; differences are from DTI-."""
    return [row(PARTS[part], *beside_bayes("dti_learned", part, "naive")) for part in LEARNED]


TABLES = {
    "long": long,
    "packing": packing,
    "far": far,
    "far_along": far_along,
    "learned": learned,
    "learned_along": learned_along,
}
