"""Makes rows of tables of what was measured in episodes. Every error is over episodes, and every difference is paired.

Of an episode's queries the first are for validation, and what comes after the most of these is the test.
"""

import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.effect import best_set, spearman
from analysis.tables.choice import SCORES
from experiments.demonstrations.demonstration_choice.columns import Bounds, Choice, Path, Reached, Table
from experiments.demonstrations.demonstration_choice.measure import Measured
from trainers.study import Tables, over_seeds

BETTER, WORSE, DIFFERENCE = "better", "worse", "better - worse"  # halves of the sets


def choice_rows(measured: Measured, counts: list[int]) -> list[dict]:
    """Return one row per score and number of validation queries: the columns `Choice`."""
    accuracy_BxM = _test(measured, "accuracy", counts)
    chosen = {(score, count): _best(measured, score, count) for score in SCORES for count in counts}
    rows = []
    for (score, count), (values_BxM, best_Bx1) in chosen.items():
        accuracy_B = _of(accuracy_BxM, best_Bx1)
        validation_B = _of(values_BxM, best_Bx1)
        test_B = _of(_test(measured, score, counts), best_Bx1)
        correlation = spearman(SCORES[score] * values_BxM, accuracy_BxM)
        rows.append(
            {Choice.SCORE: score, Choice.QUERIES: count}
            | mean_over_episodes(Choice.ACCURACY, accuracy_B)
            | mean_over_episodes(Choice.GAIN, accuracy_B - accuracy_BxM.mean(axis=1))
            | mean_over_episodes(Choice.LEAD, _of(accuracy_BxM, chosen["effect", count][1]) - accuracy_B)
            | mean_over_episodes(Choice.SPEARMAN, correlation, undefined=True)
            | {Choice.UNDEFINED: int(np.isnan(correlation).sum())}
            | mean_over_episodes(Choice.VALIDATION, validation_B)
            | mean_over_episodes(Choice.TEST, test_B)
            | mean_over_episodes(Choice.OPTIMISM, validation_B - test_B)
            | mean_over_episodes(Choice.TIED, np.sum(values_BxM == validation_B[:, None], axis=1))
        )
    return rows


def bound_rows(measured: Measured, counts: list[int]) -> list[dict]:
    """Return one row each for a random set, the best set on the test itself, and no set: the columns `Bounds`."""
    accuracy_BxM = _test(measured, "accuracy", counts)
    bounds = {
        "random": accuracy_BxM.mean(axis=1),
        "best": accuracy_BxM.max(axis=1),
        "zero_shot": _test(measured, "zero_shot", counts),
    }
    return [{Bounds.BOUND: name} | mean_over_episodes(Bounds.ACCURACY, values_B) for name, values_B in bounds.items()]


def path_rows(measured: Measured, counts: list[int]) -> list[dict]:
    """Return one row per half of the sets and number of demonstrations: the columns `Path`."""
    return [
        {Path.HALF: half, Path.DEMONSTRATIONS: number} | mean_over_episodes(Path.RANK, ranks_BxN[:, number])
        for half, ranks_BxN in _halves(measured, "rank", counts).items()
        for number in range(ranks_BxN.shape[1])
    ]


def reached_rows(measured: Measured, counts: list[int]) -> list[dict]:
    """Return one row per half of the sets, and one for their difference: the columns `Reached`."""
    halves = _halves(measured, "steps", counts)
    halves[DIFFERENCE] = halves[BETTER] - halves[WORSE]
    return [{Reached.HALF: half} | mean_over_episodes(Reached.STEPS, values_B) for half, values_B in halves.items()]


def _halves(measured: Measured, name: str, counts: list[int]) -> dict[str, np.ndarray]:
    """Return the mean over the better and over the worse half of an episode's sets, (B, ..), by their Effect_D on the
    most validation queries; of an odd number of sets the middle one is left out."""
    effect_BxM, _ = _best(measured, "effect", max(counts))
    order_BxM = np.argsort(-effect_BxM, axis=1, kind="stable")
    half, values = effect_BxM.shape[1] // 2, measured[name].astype(np.float64)
    places = {BETTER: order_BxM[:, :half], WORSE: order_BxM[:, -half:]}
    return {
        each: np.mean(np.stack([values[b, place] for b, place in enumerate(places_BxM)]), axis=1)
        for each, places_BxM in places.items()
    }


def numbers(tables: Tables) -> dict[str, float | None]:
    """Return headline numbers, means over the seeds: at the most validation queries, and those of the bounds."""
    most = max(row[Choice.QUERIES] for row in tables[Table.CHOICE])
    chosen = [row for row in tables[Table.CHOICE] if row[Choice.QUERIES] == most]
    names = {"random": "random_set", "best": "best_set", "zero_shot": "zero_shot"}
    values = over_seeds(tables[Table.BOUNDS], Bounds.ACCURACY, lambda row: f"accuracy.{names[row[Bounds.BOUND]]}")
    for column in (Choice.ACCURACY, Choice.SPEARMAN):
        values |= over_seeds(chosen, column, lambda row, column=column: f"{column}.{row[Choice.SCORE]}")
    steps = [row for row in tables[Table.REACHED] if row[Reached.HALF] != DIFFERENCE]
    values |= over_seeds(steps, Reached.STEPS, lambda row: f"steps.{row[Reached.HALF]}")
    return values


def _test(measured: Measured, score: str, counts: list[int]) -> np.ndarray:
    return measured[score][..., max(counts) :].mean(axis=-1, dtype=np.float64)


def _best(measured: Measured, score: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The score of every set on the first `count` queries (B, M), and the number of the best set (B, 1)."""
    values_BxM, best_B = best_set(measured[score][..., :count], score)
    return values_BxM, best_B[:, None]


def _of(values_BxM: np.ndarray, number_Bx1: np.ndarray) -> np.ndarray:
    return np.take_along_axis(values_BxM, number_Bx1, axis=1)[:, 0]
