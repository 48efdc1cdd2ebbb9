"""Makes rows of tables of what every draw of sets has measured. Errors are over draws and test rows, gains paired."""

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.metrics.effect import best_set, spearman
from experiments.demonstrations.language_choice.columns import SCORES, SEED, Bounds, Choice
from experiments.demonstrations.two_way import set_columns

# Of each draw of M sets {SCORE.validation: (M, V), SCORE.test: (M, X), zero_shot: (X,)}.
Draws = Sequence[Mapping[str, np.ndarray]]


def choice_rows(seeds: Sequence[int], draws: Draws, counts: Sequence[int]) -> list[dict]:
    """Return one row per draw, score and number of validation rows: the columns `Choice`."""
    right_SxMxX = _stacked(draws, "accuracy.test")
    chosen = {(score, count): _chosen(draws, score, count) for score in SCORES for count in counts}
    rows = []
    for (score, count), (values_SxM, best_S) in chosen.items():
        right_SxX = _of_set(right_SxMxX, best_S)
        test_SxX = _of_set(_stacked(draws, f"{score}.test"), best_S)
        validation_S = np.take_along_axis(values_SxM, best_S[:, None], axis=1)[:, 0]
        by_effect_SxX = _of_set(right_SxMxX, chosen["effect", count][1])
        sign = SCORES[score]
        correlation_S = spearman(sign * values_SxM, right_SxMxX.mean(axis=2))
        for place, seed in enumerate(seeds):
            undefined = bool(np.isnan(correlation_S[place]))
            rows.append(
                {SEED: seed, Choice.SCORE: score, Choice.QUERIES: count}
                | set_columns(Choice.ACCURACY, right_SxX, place)
                | set_columns(Choice.GAIN, right_SxX - right_SxMxX.mean(axis=1), place)
                | set_columns(Choice.LEAD, by_effect_SxX - right_SxX, place)
                | {Choice.SPEARMAN: None if undefined else float(correlation_S[place])}
                | {Choice.UNDEFINED: int(undefined), Choice.VALIDATION: float(validation_S[place])}
                | set_columns(Choice.TEST, test_SxX, place)
                | {Choice.OPTIMISM: float(validation_S[place] - test_SxX[place].mean())}
                | {Choice.TIED: int(np.sum(values_SxM[place] == validation_S[place]))}
            )
    return rows


def bound_rows(seeds: Sequence[int], draws: Draws) -> list[dict]:
    """Return one row per draw and set that no score chooses: the columns `Bounds`."""
    right_SxMxX = _stacked(draws, "accuracy.test")
    bounds = {
        "random": right_SxMxX.mean(axis=1),
        "best": _of_set(right_SxMxX, np.argmax(right_SxMxX.mean(axis=2), axis=1)),
        "zero_shot": _stacked(draws, "zero_shot"),
    }
    return [
        {SEED: seed, Bounds.BOUND: bound} | set_columns(Bounds.ACCURACY, values_SxX, place)
        for bound, values_SxX in bounds.items()
        for place, seed in enumerate(seeds)
    ]


def _stacked(draws: Draws, name: str) -> np.ndarray:
    return np.stack([draw[name] for draw in draws]).astype(np.float64)


def _chosen(draws: Draws, score: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of all sets on the first validation rows (S, M), and the number of the best one (S,)."""
    return best_set(_stacked(draws, f"{score}.validation")[..., :count], score)


def _of_set(values_SxMxX: np.ndarray, set_S: np.ndarray) -> np.ndarray:
    return np.take_along_axis(values_SxMxX, set_S[:, None, None], axis=1)[:, 0]
