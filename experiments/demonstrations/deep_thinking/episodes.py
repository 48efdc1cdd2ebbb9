"""Makes rows of tables of what `measure` returns of a decoder's episodes. Every error is over episodes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from experiments.demonstrations.deep_thinking import results
from experiments.demonstrations.deep_thinking.results import SCORED
from experiments.demonstrations.deep_thinking.rows import Readings, Writer, chosen_rows, gain_rows


def over_episodes(name: str, values_SxB: np.ndarray) -> list[dict]:
    """Return the columns of decoders, whose errors are over their episodes."""
    return [mean_over_episodes(name, values_B) for values_B in values_SxB]


DECODER = Writer([{}], over_episodes)  # one at a time; the study adds its seed


def readings_of(
    test: Mapping[str, np.ndarray], validation: Mapping[str, np.ndarray], settings: Sequence[Mapping[str, Any]]
) -> list[Readings]:
    """Return the readings of one decoder, of what `measure` returns of test and validation episodes."""

    def by_count(values_BxRxT: np.ndarray, r: int) -> np.ndarray:
        return values_BxRxT[:, r].astype(np.float64).T[None]

    return [
        Readings(setting, *(by_count(values, r) for values in (test["right"], test["losses"], validation["right"])))
        for r, setting in enumerate(settings)
    ]


def protocol_rows(test: Mapping[str, np.ndarray], readings: Sequence[Readings], scored: Sequence[int]) -> list[dict]:
    """Return the rows of a decoder's protocols.

    `best_per_task`: the source's, the best number for each task on the queries that are scored; `fresh`: that number on
    the task's other queries. `again`, `twice`, `zero_shot`: the controls of `measure`.
    """
    rows = []
    for r, each in enumerate(readings):
        rows += chosen_rows(DECODER, each, results.COMMON, {SCORED: None})
        fresh_BxT = test["fresh"][:, r].astype(np.float64)
        for number, count in enumerate(scored):
            scored_BxT = test["scored"][:, r, :, number].astype(np.float64)
            best_B = np.argmax(scored_BxT, axis=1)[:, None]
            for name, part in ((results.PER_TASK, scored_BxT), (results.FRESH, fresh_BxT)):
                gain_B = np.take_along_axis(part, best_B, axis=1)[:, 0] - part[:, 0]
                rows += gain_rows(DECODER, name, gain_B[None], each.setting, further={SCORED: count})
    nothing = dict.fromkeys((*readings[0].setting,))
    for name in (results.AGAIN, results.TWICE, results.ZERO_SHOT):
        gain_SxB = test[name].astype(np.float64)[None] - readings[0].one_SxU
        rows += gain_rows(DECODER, name, gain_SxB, nothing, further={SCORED: None})
    return rows


def task_rows(test: Mapping[str, np.ndarray], scored: Sequence[int]) -> list[dict]:
    """Return one row per test episode: tasks.csv."""
    most = int(np.argmax(scored))
    right = (test["scored"][:, 0, :, most], test["fresh"][:, 0])
    losses = (test["losses_scored"][:, 0], test["losses_fresh"][:, 0])
    gains = [part[:, -1] - part[:, 0] for part in right] + [part[:, 0] - part[:, -1] for part in losses]
    norm_B = np.sqrt(np.sum(test["norms"][:, 0, 1] ** 2, axis=1, dtype=np.float64))
    names = (results.gain_scored, results.gain_fresh, results.nats_scored, results.nats_fresh, results.first_update,
             results.entropy)  # fmt: skip
    columns = dict(zip(names, (*gains, norm_B, test["entropy"]), strict=True))
    return [
        {results.EPISODE: float(b)} | {column.name: float(values[b]) for column, values in columns.items()}
        for b in range(len(norm_B))
    ]
