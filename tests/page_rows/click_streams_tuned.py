"""Rows of docs/click-streams.md: decoders that are fine-tuned on few users, and what training costs."""

import numpy as np

from experiments.clicks.dti_cost import results as dti_cost
from lab.runs.directory import RunDirectory
from tests.page_rows.cells import RESULTS, by_seed, read, row, short, with_error, with_further
from tests.page_rows.click_parts import BEST, PARTS, SLIDING, beside_bayes, on_sliding

PAGE = "click-streams.md"
LOSSES = ("log_loss", "f1")


def tuned() -> list[str]:
    """With the settings that other seeds have chosen on other users, and with twice as many steps."""
    lines = []
    for part in ("sliding", "naive", "dti", "fewer", "whole", "split"):
        auc, *others = beside_bayes("dti_tuned", part, numbers=with_further)[:4]
        log_loss, f1 = (with_error(on_sliding("dti_tuned", part, each)) for each in LOSSES)
        here, longer = (on_sliding("dti_tuned", each) for each in (part, f"longer_{part}"))
        lines.append(row(PARTS[part], auc, *others, log_loss, f1, with_error(longer - here, 4)))
    return lines


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


def threads() -> list[str]:
    """On one core and on two: the time that prompts of many targets save, in percent, and how much faster two are."""
    steps = [each for each in read(".", "dti_cost_threads") if each["pass"] == "step"]
    lines = []
    for targets in ("10", "30", "50"):
        one, two = (each for each in steps if each["k"] == targets)
        assert (one["device"][-7:], two["device"][-7:]) == ("1 cores", "2 cores")
        gains = [float(each["gain"]) for each in (one, two)]
        faster = float(one["sliding_milliseconds"]) / float(two["sliding_milliseconds"])
        saved = [f"{100 * (1 - 1 / gain):.1f}" for gain in gains]
        lines.append(row(targets, *saved, short(faster, 2), short(faster * gains[1] / gains[0], 2)))
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


def until() -> list[str]:
    """What trainings of some steps lack of the best AUC, in percent, and the seconds until they lack half a percent.

    The seconds have the error over seeds and that of the time of a step, over the trainings of a part.
    """
    lines, of_sliding = [], None
    for part in (SLIDING, "naive", "dti", "split"):
        steps = {int(each["train.steps"]): float(each["milliseconds"]) / 1e3 for each in read("dti_time", "spent")
                 if each["part"] == part}  # fmt: skip
        share = float(np.std([*steps.values()], ddof=1) / len(steps) ** 0.5 / np.mean([*steps.values()]))
        lacking = {each: _lacking(part, each) for each in sorted(steps)}
        took = [each * steps[each] for each in lacking]
        first = next(iter(lacking.values()))
        seconds = np.array([_first(took, [each[seed] for each in lacking.values()]) for seed in range(len(first))])
        of_sliding = (seconds, share) if of_sliding is None else of_sliding
        cells = [with_error(lacking[each], 2) if each in lacking else "" for each in (62, 125, 250, 500, 1000, 2000)]
        ratio = "" if part == SLIDING else _with_share(seconds / of_sliding[0], 3, share, of_sliding[1])
        lines.append(
            row(PARTS[part], short(float(np.mean([*steps.values()]))), *cells, _with_share(seconds, 1, share), ratio)
        )
    return lines


def _lacking(part: str, steps: int) -> np.ndarray:
    """Return by how many percent AUC is below that of the Bayes-optimal answer from a window."""
    where = {"part": part, "train.steps": steps}
    auc, best = (by_seed("dti_time", "clicks", "auc", answers=answers, **where) for answers in (SLIDING, BEST))
    return 100 * (1 - auc / best)


def _first(seconds: list[float], lacking: list[float], least: float = 0.5) -> float:
    """Return the time from which on so little is lacking, on a line in its logarithm."""
    place = next(place for place, value in enumerate(lacking) if value <= least)
    ends = slice(place - 1, place + 1)
    return float(np.exp(np.interp(-least, -np.array(lacking[ends]), np.log(seconds[ends]))))


def _with_share(values: np.ndarray, digits: int, *shares: float) -> str:
    """Return the mean with its error over seeds and further errors, each a share of the mean."""
    mean, over_seeds = float(np.mean(values)), float(np.std(values, ddof=1)) / len(values) ** 0.5
    error = float(np.hypot.reduce([over_seeds, *(mean * each for each in shares)]))
    return f"{short(mean, digits)} ± {short(error, digits)}"


TABLES = {
    "tuned": tuned,
    "cost": cost,
    "threads": threads,
    "blocks": blocks,
    "until": until,
}
