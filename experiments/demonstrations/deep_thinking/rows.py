"""Makes rows of tables of what was measured when demonstrations are read again, for every subject of the study.

Shapes: S seeds, T iterations, U what errors are over (episodes, or test rows), R rates with momenta, L layers. Every
gain is paired.
"""

import dataclasses
import types
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from experiments.demonstrations.deep_thinking import results
from experiments.demonstrations.deep_thinking.learner import recurrence
from experiments.demonstrations.deep_thinking.results import COUNT, LAYER, PROTOCOL, VALIDATED, WAY
from experiments.demonstrations.tables import Writer

FLOAT = 4  # bytes of a number of keys and values
ROUNDING = 1e-5  # of the largest norm: smaller ones are rounding of float32


@dataclasses.dataclass(frozen=True)
class Readings:
    """Every seed's answers while demonstrations are read again, with one rate and momentum.

    Args:
        setting: their columns.
        right_SxTxU, loss_SxTxU: of the test, after each iteration.
        validation_SxTxV: whether answers are right on what chooses the number of iterations.
    """

    setting: Mapping[str, Any]
    right_SxTxU: np.ndarray
    loss_SxTxU: np.ndarray
    validation_SxTxV: np.ndarray

    @property
    def one_SxU(self) -> np.ndarray:
        """Plain in-context learning, one reading."""
        return self.right_SxTxU[:, 0]

    def after(self, count_S: np.ndarray) -> np.ndarray:
        """Return whether answers are right after each seed's number of iterations, counted from 0, (S, U)."""
        return np.take_along_axis(self.right_SxTxU, count_S[:, None, None], axis=1)[:, 0]

    @property
    def best_S(self) -> np.ndarray:
        """The number that is best on the test itself, counted from 0."""
        return np.argmax(self.right_SxTxU.mean(axis=2), axis=1)


def iteration_rows(writer: Writer, readings: Iterable[Readings]) -> list[dict]:
    """Return one row per rate, momentum, seed and number of iterations: iterations.csv."""
    rows = []
    for each in readings:
        right, loss = each.right_SxTxU, each.loss_SxTxU
        by_count = [
            writer.rows(
                {**each.setting, COUNT: t + 1},
                {
                    results.accuracy.name: right[:, t],
                    results.gained.name: right[:, t] - right[:, 0],
                    results.loss_difference.name: loss[:, t] - loss[:, 0],
                },
            )
            for t in range(right.shape[1])
        ]
        rows += [row for of_seed in zip(*by_count, strict=True) for row in of_seed]
    return rows


def gain_rows(
    writer: Writer,
    protocol: str,
    gain_SxU: np.ndarray,
    setting: Mapping[str, Any],
    count_S: np.ndarray | None = None,
    further: Mapping[str, Any] = types.MappingProxyType({}),
) -> list[dict]:
    """Return each seed's row of protocols.csv.

    Args:
        setting: columns of rate and momentum. count_S: how many iterations, counted from 0. further: columns.
    """
    counts = None if count_S is None else [int(count) + 1 for count in count_S]
    place = {PROTOCOL: protocol, **setting, COUNT: counts, **further}
    return writer.rows(place, {results.gain.name: gain_SxU})


def chosen_rows(
    writer: Writer, reading: Readings, best: str, further: Mapping[str, Any] = types.MappingProxyType({})
) -> list[dict]:
    """Return the rows of the number that is best for validation, and that is best on the test itself, called `best`."""
    validated_S = np.argmax(reading.validation_SxTxV.mean(axis=2), axis=1)
    return [
        row
        for protocol, count_S in ((VALIDATED, validated_S), (best, reading.best_S))
        for row in gain_rows(
            writer, protocol, reading.after(count_S) - reading.one_SxU, reading.setting, count_S, further
        )
    ]


def norm_rows(setting: Mapping[str, Any], norms_TxL: np.ndarray) -> list[dict]:
    """Return one row per layer and iteration of a rate and a momentum: norms.csv."""
    rows = []
    expected_T = np.abs(recurrence(len(norms_TxL), setting[results.ETA], setting[results.BETA]))
    for layer in range(norms_TxL.shape[1]):
        first, size = norms_TxL[1, layer], norms_TxL[1].max()
        for t in range(1, len(norms_TxL)):
            rows.append(
                {**setting, LAYER: layer + 1, COUNT: t + 1, results.norm.name: float(norms_TxL[t, layer])}
                | {results.relative.name: float(norms_TxL[t, layer] / first) if first > ROUNDING * size else None}
                | {results.recurrence.name: float(expected_T[t])}
            )
    return rows


def cost_rows(context: float, query: float, token_bytes: float, iterations: int, memory: float) -> list[dict]:
    """Return one row per way to answer: cost.csv.

    Args:
        context: tokens of the demonstrations. query: tokens of a query.
        token_bytes: of a token's keys and values in all layers.
        iterations: how often the demonstrations are read.
        memory: GiB for keys and values.
    """
    ways = {
        results.NOTHING_KEPT: (0, context + query, 0),
        results.PREFIX_KEPT: (context, query, context * token_bytes),
        results.THINKING: (iterations * context, query, context * token_bytes),
    }
    return [
        {
            WAY: name,
            results.PER_PROMPT: once,
            results.PER_QUERY: each,
            results.ATTENDED: context + query,
            results.BYTES: num_bytes,
            results.PROMPTS_FIT: int(memory * 2**30 / num_bytes) if num_bytes else None,
            results.fit.name: int((memory * 2**30 - num_bytes) / (each * token_bytes)),
        }
        for name, (once, each, num_bytes) in ways.items()
    ]
