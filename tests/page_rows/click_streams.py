"""Rows of docs/click-streams.md: what prompts of many targets lose."""

from collections.abc import Sequence

import numpy as np

from tests.page_rows.cells import by_seed, read, row, short, with_error, with_further
from tests.page_rows.click_parts import BEST, PARTS, SLIDING, STREAMING, beside_bayes, gap, on_sliding

PAGE = "click-streams.md"
CONVERGED = ("sliding", "naive", "no_id", "alibi", "reset", "dti", "own", "split", "short_sliding")
LONG = ("sliding", "naive_10", "naive", "no_id", "alibi", "reset", "dti", "own", "split")
FAR = ("sliding", "naive", "dti", "own", "split", "deep_split", "shallow_naive", "shallow_split")
LEARNED = ("sliding", "naive", "no_id", "own", "alibi", "reset", "dti", "split")
EARLY = ("sliding", "naive", "alibi", "reset", "dti", "split")
PACKED = (
    (SLIDING, 1),
    *((part, targets) for part in ("naive", "dti") for targets in (10, 30, 40, 50)),
    ("split", 50),
)
WORLDS = {
    "lasting_naive": "a taste lasts for 50",
    "changing_naive": "a taste lasts for 5",
    "ordered_naive": "the item before matters",
    "ordered_local": "the item before matters",
    "ordered_split": "the item before matters",
}


def converged() -> list[str]:
    """AUC and log loss at the end of a long training, on sliding windows, and what it took per model."""
    lines = []
    for part in CONVERGED:
        auc, paired, below, gap_cell, _ = beside_bayes("dti_converged", part, numbers=with_further)
        log_loss = with_error(on_sliding("dti_converged", part, "log_loss"))
        lines.append(row(PARTS[part], auc, paired, below, log_loss, gap_cell, _seconds("dti_converged", part)))
    return lines


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


def packing_along() -> list[str]:
    """AUC below that of the Bayes-optimal answer from a window, of the first test users, after some steps."""
    lines = []
    for part, targets in PACKED:
        steps, where = [], {"part": part} | ({"model.targets": targets} if part in ("naive", "dti") else {})
        for step in (600, 1200, 2400, 4800):
            best, auc = (
                by_seed("dti", "curves", column, step=step, **where) for column in (f"auc.{BEST}", f"auc.{SLIDING}")
            )
            steps.append(with_error(best - auc, 4))
        lines.append(row(PARTS[part], targets, *steps))
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


def reach_trained() -> list[str]:
    """Shares of the gradient beyond the window before and after training, and of what a window tells that is used."""
    lines = []
    for scheme in ("naive", "alibi", "dti", "own", "split"):
        before, after, learned = (
            by_seed("dti_reach_trained", "leaks", column, scheme=scheme, decoder=decoder)
            for column, decoder in (("leak", "untrained"), ("leak", "trained"), ("learned", "trained"))
        )
        shares = ("0", "0") if not after.any() else (with_error(before), with_error(after))
        lines.append(row(f"`{scheme}`", *shares, with_error(learned, 2)))
    return lines


def learned() -> list[str]:
    """With learned positions; differences are from DTI-."""
    return [row(PARTS[part], *beside_bayes("dti_learned", part, "naive")) for part in LEARNED]


def early() -> list[str]:
    """With learned positions after few steps; differences are from DTI-."""
    return [row(PARTS[part], *beside_bayes("dti_early", part, "naive")) for part in EARLY]


def worlds() -> list[str]:
    """Where a taste lasts for 50 interactions or for 5, and where order matters; differences there are from DTI-."""
    lines = []
    for part, world in WORLDS.items():
        scheme = part.split("_")[1]
        other = "ordered_naive" if part.startswith("ordered") else part
        lines.append(row(world, PARTS[scheme], *beside_bayes("dti_worlds", part, other)))
    return lines


def recipe() -> list[str]:
    """Both optimisers after 2,250 steps, and their difference; the last column is of losses on prompts in training."""
    lines, numbers = [], []
    for part, name in (("adamw", "AdamW, .004"), ("muon", "Muon, .003")):
        auc, best, streaming = (
            by_seed("dti_recipe", "clicks", "auc", part=part, answers=answers) for answers in (SLIDING, BEST, STREAMING)
        )
        start, half, end = (
            by_seed("dti_recipe", "curves", "loss.streaming", part=part, step=step) for step in (0, 1125, 2250)
        )
        numbers.append((auc, streaming - best, 100 * (half - end) / (start - end)))
        least, below = short(float(auc.min())), with_error(best - auc, 4)
        lines.append(_optimiser(name, with_error(auc), least, below, *numbers[-1][1:]))
    auc, above, later = (muon - adamw for adamw, muon in zip(*numbers, strict=True))
    return [*lines, _optimiser("Muon - AdamW, paired", with_error(auc, 4), "", "", above, later)]


def _optimiser(name: str, auc: str, least: str, below: str, above: np.ndarray, later: np.ndarray) -> str:
    return row(name, auc, least, below, with_error(above, 4), with_error(later, 1))


TABLES = {
    "converged": converged,
    "long": long,
    "packing": packing,
    "packing_along": packing_along,
    "far": far,
    "far_along": far_along,
    "learned": learned,
    "learned_along": learned_along,
    "early": early,
    "worlds": worlds,
    "recipe": recipe,
    "reach_trained": reach_trained,
}
