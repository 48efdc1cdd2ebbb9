"""From what was measured in episodes to rows of tables. Every error is over episodes, and every difference is paired.

Of an episode's queries the first are for validation, and what comes after the most of these is the test.
"""

import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.effect import spearman
from experiments.demonstration_choice.measure import Measured
from trainers.study import Tables, over_seeds

SCORES = {"effect": 1, "accuracy": 1, "loss": -1}  # 1 where more is better
DECIMALS = 9  # of means in double precision: sums of the same numbers in another order shall tie


def choice_rows(measured: Measured, counts: list[int]) -> list[dict]:
    """One row per score and number of validation queries, of the set that is the best by this score on these.

    Its columns: `accuracy` on the test queries; `gain` over a random set; `lead`, by how much the choice of Effect_D is
    more accurate; `spearman`, the correlation over the sets of an episode of their score with their test accuracy, and
    in how many episodes it is not defined; `validation` and `test`, the chosen set's score on either, and `optimism`,
    their difference; `tied`, how many sets share the best score. Of those the first is taken, as sets are in no order.
    """
    accuracy_BxM = _test(measured, "accuracy", counts)
    chosen = {(score, count): _best(measured, score, count) for score in SCORES for count in counts}
    rows = []
    for (score, count), (values_BxM, best_Bx1) in chosen.items():
        accuracy_B = _of(accuracy_BxM, best_Bx1)
        validation_B = _of(values_BxM, best_Bx1)
        test_B = _of(_test(measured, score, counts), best_Bx1)
        correlation = spearman(SCORES[score] * values_BxM, accuracy_BxM)
        rows.append(
            {"score": score, "queries": count}
            | mean_over_episodes("accuracy", accuracy_B)
            | mean_over_episodes("gain", accuracy_B - accuracy_BxM.mean(axis=1))
            | mean_over_episodes("lead", _of(accuracy_BxM, chosen["effect", count][1]) - accuracy_B)
            | mean_over_episodes("spearman", correlation)
            | {"spearman.left_out": int(np.isnan(correlation).sum())}
            | mean_over_episodes("validation", validation_B)
            | mean_over_episodes("test", test_B)
            | mean_over_episodes("optimism", validation_B - test_B)
            | mean_over_episodes("tied", np.sum(values_BxM == validation_B[:, None], axis=1))
        )
    return rows


def bound_rows(measured: Measured, counts: list[int]) -> list[dict]:
    """The test accuracy of a random set (the mean over the sets), and of the best set on the test itself."""
    accuracy_BxM = _test(measured, "accuracy", counts)
    bounds = {"random": accuracy_BxM.mean(axis=1), "best": accuracy_BxM.max(axis=1)}
    return [{"bound": name} | mean_over_episodes("accuracy", values_B) for name, values_B in bounds.items()]


def numbers(tables: Tables) -> dict[str, float | None]:
    """Return headline numbers, means over the seeds: at the most validation queries, and those of the bounds."""
    most = max(row["queries"] for row in tables["choice"])
    chosen = [row for row in tables["choice"] if row["queries"] == most]
    values = over_seeds(tables["bounds"], "accuracy", lambda row: f"accuracy.{row['bound']}_set")
    for column in ("accuracy", "spearman"):
        values |= over_seeds(chosen, column, lambda row, column=column: f"{column}.{row['score']}")
    return values


def _test(measured: Measured, score: str, counts: list[int]) -> np.ndarray:
    return measured[score][..., max(counts) :].mean(axis=-1, dtype=np.float64)


def _best(measured: Measured, score: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The score of every set on the first `count` queries (B, M), and the number of the best set (B, 1)."""
    values_BxM = np.round(measured[score][..., :count].mean(axis=-1, dtype=np.float64), DECIMALS)
    return values_BxM, np.argmax(SCORES[score] * values_BxM, axis=1)[:, None]


def _of(values_BxM: np.ndarray, number_Bx1: np.ndarray) -> np.ndarray:
    return np.take_along_axis(values_BxM, number_Bx1, axis=1)[:, 0]
