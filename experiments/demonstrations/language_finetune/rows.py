"""Makes rows of tables of what was measured with every set. Errors are over sets and over test rows, gains paired.

Shapes: S sets, L layers, X test rows. A set whose fine-tuning diverged, or puts nothing right, has no value.
"""

import math
import pathlib
from collections.abc import Mapping, Sequence

import numpy as np

from analysis.results import declared
from experiments.demonstrations.icl_vs_finetune import results as study
from experiments.demonstrations.icl_vs_finetune.results import PAIRED, SEED
from experiments.demonstrations.language_finetune import results
from experiments.demonstrations.language_finetune.results import ARMS, CAUSAL, UNTRAINED
from experiments.demonstrations.tables import printed
from experiments.demonstrations.two_way import of_ratios, stacked, writer
from trainers.store import Tree

BY_LAYER = ("sim_aou", "sim_aou_centred", "sim_aou_plain", "sim_am", "sim_am_change", "kendall", "kendall_inputs")
RANDOM = "over_random"
OF_LAYERS = PAIRED | {("kendall", "difference"): "other", ("kendall", RANDOM): "random", ("sim_aou", RANDOM): "random"}
OF_LAYERS |= {
    (each, f"over_{name}"): arm for name, arm in (("causal", CAUSAL), (UNTRAINED, UNTRAINED)) for each in BY_LAYER
}
Sets = Mapping[str, Sequence[Tree]]  # {learner: what was measured with each set}


def accuracy_rows(seeds: Sequence[int], sets: Sets, rates: Sequence[float]) -> list[dict]:
    """Return one row per set and learner: accuracy.csv.

    Args:
        rates: of the fine-tuning of each set.
    """
    right = {name: stacked(each, "right") for name, each in sets.items()}
    rows = []
    for name, right_SxX in right.items():
        rows += writer(seeds).rows(
            {study.LEARNER: name},
            {
                study.accuracy.name: right_SxX,
                results.gain.name: right_SxX - right["zero_shot"],
                results.shortfall.name: right["in_context"] - right_SxX,
                results.loss.name: stacked(sets[name], "loss"),
                study.RATE: np.where(name in ARMS, rates, np.nan),
            },
        )
    return rows


def transfer_rows(
    seeds: Sequence[int], sets: Sets, alone: Sequence[Tree], random: Sequence[Tree], untrained: Sequence[Tree]
) -> list[dict]:
    """Return one row per set, measure, layer and arm: transfer.csv.

    `rec2ftp` is the share of rows, wrong zero-shot and right after fine-tuning, that are right in context; its null
    `per_episode` is P(in context right | zero-shot wrong) of the same set. `lift` is the difference of `rec2ftp` from
    it, and from fine-tuning on other demonstrations. `changed` is the share of answers that fine-tuning changes.
    Measures by layer have differences from other demonstrations, from random directions and orders, from layer-causal
    descent and from an untrained model, and `rise`: the similarity of attention maps to the fine-tuned model minus the
    similarity to the zero-shot model.

    Args:
        sets: of `zero_shot`, `in_context` and the arms of fine-tuning.
        alone: `sim_am` (L, X) of each set in context and zero-shot. random: `sim_aou` and `kendall` (L, X) of each set.
        untrained: all measures by layer of each set, with an untrained model.
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
    measured |= {(measure, UNTRAINED): stacked(untrained, measure) for measure in BY_LAYER}
    measured["sim_am", "zero_shot"] = stacked(alone, "sim_am")
    measured |= {(measure, "random"): stacked(random, measure) for measure in ("sim_aou", "kendall")}
    for (measure, name), arm in OF_LAYERS.items():
        measured[measure, name] = measured[measure, "fine_tuned"] - measured[measure, arm]
    for (measure, arm), values_SxLxX in measured.items():
        for layer in range(values_SxLxX.shape[1]):
            rows += _rows(seeds, measure, arm, values_SxLxX[:, layer], layer + 1)
    return rows


def rate_rows(seeds: Sequence[int], by_rate: Mapping[float, Sequence[Tree]], best: Sequence[float]) -> list[dict]:
    """Return one row per set and rate, of the validation rows: rates.csv."""
    return [
        {SEED: seed, study.RATE: rate, study.CHOSEN: int(rate == best[place])}
        | {
            study.validated.name: _number(sets[place]["right"].mean()),
            results.loss.name: _number(sets[place]["loss"].mean()),
        }
        for place, seed in enumerate(seeds)
        for rate, sets in by_rate.items()
    ]


def published_rows(tables: Mapping[str, list[dict]], data_set: str) -> list[dict]:
    """Return one row per number that the source printed: published.csv."""
    numbers = declared.numbers(results, tables)
    names = {name: name if name.startswith(study.ACCURACY) else f"{name}.fine_tuned" for name in results.NUMBERS}
    return [
        {
            results.DATA_SET: data_set,
            results.NUMBER: name,
            results.ours.name: numbers.get(own),
            f"{results.ours.name}.stderr": numbers.get(f"{own}.stderr"),
        }
        | published(data_set, name)
        for name, own in names.items()
    ]


def _rows(
    seeds: Sequence[int],
    measure: str,
    arm: str,
    values_SxX: np.ndarray,
    layer: int | None = None,
    counts: np.ndarray | None = None,
) -> list[dict]:
    place = {study.MEASURE: measure, study.LAYER: layer, study.ARM: arm}
    counts = np.full(len(seeds), np.nan) if counts is None else counts
    return writer(seeds).rows(place, {study.VALUE: values_SxX, study.COUNT: counts})


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


FILE = pathlib.Path(__file__).with_name("published.csv")


def published(data_set: str, number: str) -> dict[str, float | None]:
    """Return {column of a model: a number of it on a data set}; None where the source has no such data set."""
    by_model = {row["model"]: float(row[number]) / 100 for row in printed(FILE) if row["data_set"] == data_set}
    return {column.name: by_model.get(column.label) for column in (results.smaller, results.larger)}
