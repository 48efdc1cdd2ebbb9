"""Makes rows of tables of what was measured with every set. Errors are over sets and over test rows, gains paired.

Shapes: S sets, L layers, X test rows. A set whose fine-tuning diverged, or puts nothing right, has no value.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from analysis.metrics.two_way import of_ratios, over_sets, set_columns, stacked
from analysis.tables.transfer import ARMS, PAIRED
from experiments.demonstrations.language_finetune.columns import (
    BEHIND,
    GAIN,
    LOSS,
    SEED,
    Accuracy,
    Published,
    Rates,
    Table,
    Transfer,
)
from experiments.demonstrations.language_finetune.published import MODELS, NUMBERS, published
from trainers.part_store import Tree

BY_LAYER = ("sim_aou", "sim_aou_centred", "sim_am", "kendall", "kendall_inputs")
RANDOM = "over_random"
OF_LAYERS = PAIRED | {("kendall", "difference"): "other", ("kendall", RANDOM): "random", ("sim_aou", RANDOM): "random"}
Sets = Mapping[str, Sequence[Tree]]  # {learner: what was measured with each set}


def accuracy_rows(seeds: Sequence[int], sets: Sets, rates: Sequence[float]) -> list[dict]:
    """Return one row per set and learner: the columns `Accuracy`, GAIN, BEHIND and LOSS.

    Args:
        rates: that of each set's fine-tuning.
    """
    right = {name: stacked(each, "right") for name, each in sets.items()}
    rows = []
    for name, right_SxX in right.items():
        for place, seed in enumerate(seeds):
            rows.append(
                {SEED: seed, Accuracy.LEARNER: name}
                | set_columns(Accuracy.ACCURACY, right_SxX, place)
                | set_columns(GAIN, right_SxX - right["zero_shot"], place)
                | set_columns(BEHIND, right["in_context"] - right_SxX, place)
                | set_columns(LOSS, stacked(sets[name], LOSS), place)
                | {Accuracy.RATE: rates[place] if name in ARMS else None}
            )
    return rows


def transfer_rows(seeds: Sequence[int], sets: Sets, alone: Sequence[Tree], random: Sequence[Tree]) -> list[dict]:
    """Return one row per set, measure, layer and arm: the columns `Transfer`.

    `rec2ftp` is the share of rows, wrong zero-shot and right after fine-tuning, that are right in context; its null
    `per_episode` is P(in context right | zero-shot wrong) of the same set. `lift` is the difference of `rec2ftp` from
    it, and from fine-tuning on other demonstrations. `changed` is the share of answers that fine-tuning changes. Those
    by layer have differences from other demonstrations, from random directions and orders, and `rise`, that of the
    similarity of attention maps to the fine-tuned model from that to the zero-shot model.

    Args:
        sets: of `zero_shot`, `in_context` and the arms of fine-tuning.
        alone: `sim_am` (L, X) of each set in context and zero-shot. random: `sim_aou` and `kendall` (L, X) of each set.
    """
    right = {name: stacked(each, "right") for name, each in sets.items()}
    wrong, context = 1 - right["zero_shot"], right["in_context"]
    corrected = {arm: wrong * right[arm] for arm in ARMS}
    shares = {arm: of_ratios(each * context, each) for arm, each in corrected.items()}
    anyway = of_ratios(wrong * context, wrong)
    counts = {arm: each.sum(axis=1) for arm, each in corrected.items()} | {"per_episode": wrong.sum(axis=1)}
    own = shares["fine_tuned"]
    rows = [
        row
        for arm, values in {**shares, "per_episode": anyway}.items()
        for row in _rows(seeds, "rec2ftp", arm, values, counts=counts[arm])
    ]
    for arm, null in {"per_episode": anyway, "other": shares["other"]}.items():
        rows += _rows(seeds, "lift", arm, own - null, counts=counts["fine_tuned"])
    chosen = {name: stacked(each, "chosen") for name, each in sets.items()}
    for arm in ARMS:
        changed = np.where(np.isnan(chosen[arm]), np.nan, chosen[arm] != chosen["zero_shot"])
        rows += _rows(seeds, "changed", arm, changed)
    measured = {(measure, arm): stacked(sets[arm], measure) for measure in BY_LAYER for arm in ARMS}
    measured["sim_am", "zero_shot"] = stacked(alone, "sim_am")
    measured |= {(measure, "random"): stacked(random, measure) for measure in ("sim_aou", "kendall")}
    for (measure, name), arm in OF_LAYERS.items():
        measured[measure, name] = measured[measure, "fine_tuned"] - measured[measure, arm]
    for (measure, arm), values_SxLxX in measured.items():
        for layer in range(values_SxLxX.shape[1]):
            rows += _rows(seeds, measure, arm, values_SxLxX[:, layer], layer + 1)
    return rows


def rate_rows(seeds: Sequence[int], by_rate: Mapping[float, Sequence[Tree]], best: Sequence[float]) -> list[dict]:
    """Return one row per set and rate, of the validation rows: the columns `Rates` without similarities, and LOSS."""
    return [
        {SEED: seed, Rates.RATE: rate, Rates.CHOSEN: int(rate == best[place])}
        | {Rates.ACCURACY: _number(sets[place]["right"].mean()), LOSS: _number(sets[place]["loss"].mean())}
        for place, seed in enumerate(seeds)
        for rate, sets in by_rate.items()
    ]


def published_rows(tables: Mapping[str, list[dict]], data_set: str) -> list[dict]:
    """Return one row per number that the source printed: the columns `Published`."""
    ours = numbers(tables) | {"rec2ftp": None}
    ours |= {name.replace(".fine_tuned", ""): value for name, value in ours.items() if name.startswith("rec2ftp.fine")}
    return [
        {
            Published.DATA_SET: data_set,
            Published.NUMBER: name,
            Published.OURS: ours[name],
            Published.ERROR: ours.get(f"{name}.stderr"),
        }
        | published(data_set, name)
        for name in NUMBERS
    ]


def numbers(tables: Mapping[str, list[dict]]) -> dict[str, float | None]:
    """Return headline numbers: means over sets, of similarities over layers too; errors are over sets and rows."""
    result: dict[str, float | None] = {}
    for learner in ("zero_shot", "fine_tuned", "in_context"):
        rows = [row for row in tables[Table.ACCURACY] if row[Accuracy.LEARNER] == learner]
        result |= _mean(f"accuracy.{learner}", rows, Accuracy.ACCURACY)
    wanted = [("rec2ftp", arm) for arm in ("fine_tuned", "per_episode", "other")]
    wanted += [("sim_aou", arm) for arm in ("fine_tuned", "other")] + [("sim_am", "rise"), ("kendall", "fine_tuned")]
    for measure, arm in wanted:
        rows = [row for row in tables[Table.TRANSFER] if (row[Transfer.MEASURE], row[Transfer.ARM]) == (measure, arm)]
        result |= _mean(f"{measure}.{arm}", rows, Transfer.VALUE)
    return result


def printed(data_set: str) -> dict[str, float | None]:
    """Return {printed.MODEL.NUMBER: what the source printed} of a data set; nothing where it has none."""
    names = {str(column): model.replace("GPT ", "gpt_").replace(".", "_").lower() for column, model in MODELS.items()}
    return {
        f"printed.{names[column]}.{number.removeprefix('accuracy.')}": value
        for number in NUMBERS
        for column, value in published(data_set, number).items()
        if value is not None
    }


def _rows(
    seeds: Sequence[int],
    measure: str,
    arm: str,
    values_SxX: np.ndarray,
    layer: int | None = None,
    counts: np.ndarray | None = None,
) -> list[dict]:
    return [
        {SEED: seed, Transfer.MEASURE: measure, Transfer.LAYER: layer, Transfer.ARM: arm}
        | set_columns(Transfer.VALUE, values_SxX, place)
        | {Transfer.COUNT: _number(np.nan if counts is None else counts[place])}
        for place, seed in enumerate(seeds)
    ]


def _mean(name: str, rows: list[dict], column: str) -> dict[str, float | None]:
    """Return the mean over sets of the means of their rows, and its standard error over sets and test rows."""
    by_set: dict[int, list[dict]] = {}
    for row in rows:
        if row[column] is not None:
            by_set.setdefault(row[SEED], []).append(row)
    if not by_set:
        return {name: None}
    means_Sx1 = np.array([[np.mean([row[column] for row in each])] for each in by_set.values()])
    common = max(row[f"{column}.common"] for each in by_set.values() for row in each)
    error = math.hypot(over_sets(means_Sx1), common)
    mean: dict[str, float | None] = {name: float(means_Sx1.mean())}
    return mean | {f"{name}.stderr": error} if math.isfinite(error) else mean


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
