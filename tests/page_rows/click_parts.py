"""What the tables of click streams share: names of parts, and numbers beside the Bayes-optimal answer."""

from collections.abc import Callable

import numpy as np

from tests.page_rows.cells import by_seed, with_error, with_further

Numbers = Callable[..., np.ndarray]  # figure, table, column and where -> numbers by seed

PARTS = {
    "sliding": "sliding window, k = 1",
    "naive": "`naive`, DTI-",
    "naive_10": "`naive`, DTI-, k = 10",
    "no_id": "`no_id`",
    "alibi": "`alibi`",
    "reset": "`reset`",
    "dti": "`dti`, both",
    "fewer": "`dti`, fewer steps",
    "whole": "`dti`, whole reset",
    "own": "`own`",
    "split": "`split`",
    "deep_split": "`split`, 4 layers",
    "shallow_split": "`split`, 2 layers",
    "shallow_naive": "`naive`, 2 layers",
}
BEST, SLIDING, STREAMING = "bayes_window", "sliding", "streaming"


def beside_bayes(figure: str, part: str, other: str = SLIDING, numbers: Numbers = by_seed) -> tuple[str, ...]:
    """Return AUC, that minus another part's, below Bayes, the gap, and above Bayes on prompts as in training."""
    reference = numbers(figure, "clicks", "auc", part=other, answers=SLIDING)
    auc, best, streaming, gaps = (
        numbers(figure, "clicks", column, part=part, answers=answers)
        for column, answers in (("auc", SLIDING), ("auc", BEST), ("auc", STREAMING), ("gap.auc", STREAMING))
    )
    paired = "" if part == other else with_error(auc[: len(reference)] - reference, 4)  # of its seeds, the first ones
    return with_error(auc), paired, with_error(best - auc, 4), gap(gaps), with_error(streaming - best, 4)


def gap(gaps: np.ndarray) -> str:
    """Return the cell of a gap of AUC; "0" for answers that are the same, to rounding."""
    return "0" if np.abs(gaps).max() < 1e-6 else with_error(gaps, 4)


def on_sliding(figure: str, part: str, column: str = "auc") -> np.ndarray:
    """Return a number on sliding windows by seed, with those that `decide` has added."""
    return with_further(figure, "clicks", column, part=part, answers=SLIDING)
