"""Rows of docs/click-streams.md: what prompts of many targets lose, and what training costs."""

import numpy as np

from experiments.clicks.dti_cost import results as dti_cost
from lab.runs.directory import RunDirectory
from tests.page_rows.cells import RESULTS, by_seed, read, row, short, with_error

PAGE = "click-streams.md"

PARTS = {
    "sliding": "sliding window, k = 1",
    "naive": "`naive`, DTI-",
    "naive_10": "`naive`, DTI-, k = 10",
    "no_id": "`no_id`",
    "alibi": "`alibi`",
    "reset": "`reset`",
    "dti": "`dti`, both",
    "own": "`own`",
    "split": "`split`",
    "deep_split": "`split`, 4 layers",
    "shallow_split": "`split`, 2 layers",
    "shallow_naive": "`naive`, 2 layers",
}
BEST, SLIDING, STREAMING = "bayes_window", "sliding", "streaming"
LONG = ("sliding", "naive_10", "naive", "no_id", "alibi", "reset", "dti", "own", "split")
FAR = ("sliding", "naive", "dti", "own", "split", "deep_split", "shallow_naive", "shallow_split")
LEARNED = ("sliding", "naive", "no_id", "own", "alibi", "reset", "dti", "split")
PACKED = (
    (SLIDING, 1),
    *((part, targets) for part in ("naive", "dti") for targets in (10, 30, 40, 50)),
    ("split", 50),
)


def beside_bayes(figure: str, part: str, other: str = SLIDING) -> tuple[str, ...]:
    """Return AUC, that minus another part's, below Bayes, the gap, and above Bayes on prompts as in training."""
    reference = by_seed(figure, "clicks", "auc", part=other, answers=SLIDING)
    auc, best, streaming, gaps = (
        by_seed(figure, "clicks", column, part=part, answers=answers)
        for column, answers in (("auc", SLIDING), ("auc", BEST), ("auc", STREAMING), ("gap.auc", STREAMING))
    )
    paired = "" if part == other else with_error(auc[: len(reference)] - reference, 4)  # of its seeds, the first ones
    return with_error(auc), paired, with_error(best - auc, 4), gap(gaps), with_error(streaming - best, 4)


def gap(gaps: np.ndarray) -> str:
    """Return the cell of a gap of AUC; "0" for answers that are the same, to rounding."""
    return "0" if np.abs(gaps).max() < 1e-6 else with_error(gaps, 4)


def long() -> list[str]:
    """By scheme, until losses are flat; differences from sliding windows are of their four seeds."""
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


def learned() -> list[str]:
    """With learned positions; differences are from DTI-."""
    return [row(PARTS[part], *beside_bayes("dti_learned", part, "naive")) for part in LEARNED]


def cost() -> list[str]:
    """Gains over sliding windows at the source's window and numbers of targets, of a training step."""
    lines, directory = [], RunDirectory(RESULTS / "dti_cost")
    for size in dti_cost.steps(directory):
        gains = {way: np.median([*each.by_seed.values()]) for way, each in dti_cost.gains(directory, size).items()}
        by_way = [gains[way] for way in ("full", "band_1", "band_2", "band_4", "band_20")]
        counted = max(size.number(f"flops.{way}") for way in gains)
        numbers = (size.number("formula"), size.number("tokens"), counted, *by_way)
        share = max(by_way) / size.number("formula")
        lines.append(row(f"{size.number('k'):g}", *(f"{number:.1f}" for number in numbers), short(share, 2)))
    return lines


def blocks() -> list[str]:
    """How many times as long one matrix of scores takes as blocks of n, n/2 and n/4 interactions, one row per size."""
    steps = [each for each in read(".", "dti_cost_blocks") if each["pass"] == "step"]
    cells: dict[tuple[str, ...], list[str]] = {}
    for each in steps:
        gains = [float(each[f"cpu.{way}"]) / float(each["cpu.full"]) for way in ("band_1", "band_2", "band_4")]
        size = (each["n"], each["c"], each["d"])
        cells.setdefault(size, []).append(" / ".join(short(gain, 2) for gain in gains))
    return [row(*size, *of_size) for size, of_size in cells.items()]


TABLES = {
    "long": long,
    "packing": packing,
    "far": far,
    "learned": learned,
    "cost": cost,
    "blocks": blocks,
}
