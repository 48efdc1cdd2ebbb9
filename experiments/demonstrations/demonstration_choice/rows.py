"""Makes rows of tables about the choice of a set of demonstrations: every difference is paired.

Shapes: N choices that are made (one per episode of a decoder, or per draw of sets), M sets, X tests of a set:
test rows of a language model, or a single mean over the test queries of an episode.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.effect import best_set, spearman
from experiments.demonstrations.demonstration_choice import results
from experiments.demonstrations.demonstration_choice.measure import Measured
from experiments.demonstrations.demonstration_choice.results import BETTER, DIFFERENCE, SCORES, WORSE
from experiments.demonstrations.tables import Writer

Values = Mapping[str, np.ndarray]  # {score: the values of every set}


def chosen_rows(writer: Writer, validation: Values, test: Values, counts: Sequence[int]) -> list[dict]:
    """Choose by every score and number of validation queries, and return the rows of choice.csv.

    Args:
        validation: (N, M, V) each, of which the first queries choose. test: (N, M, X) each.
    """
    right, rows = test["accuracy"], []
    best = {(score, count): best_set(validation[score][..., :count], score) for score in SCORES for count in counts}
    for (score, count), (values_NxM, best_N) in best.items():
        right_NxX, test_NxX = of_set(right, best_N), of_set(test[score], best_N)
        correlation_N = spearman(SCORES[score] * values_NxM, right.mean(axis=2))
        validation_N = np.take_along_axis(values_NxM, best_N[:, None], axis=1)[:, 0]
        numbers = {
            results.accuracy: right_NxX,
            results.gain: right_NxX - right.mean(axis=1),
            results.lead: of_set(right, best["effect", count][1]) - right_NxX,
            results.spearman: correlation_N,
            results.undefined: np.isnan(correlation_N).astype(int),
            results.validation: validation_N,
            results.test: test_NxX,
            results.optimism: validation_N - test_NxX.mean(axis=1),
            results.tied: np.sum(values_NxM == validation_N[:, None], axis=1),
        }
        place = {results.SCORE: score, results.QUERIES: count}
        rows += writer.rows(place, {column.name: values for column, values in numbers.items()})
    return rows


def bound_rows(writer: Writer, right_NxMxX: np.ndarray, zero_shot_NxX: np.ndarray) -> list[dict]:
    """Return the rows of bounds.csv: of a random set, of the best set on the test itself, and of no set."""
    best_NxX = of_set(right_NxMxX, np.argmax(right_NxMxX.mean(axis=2), axis=1))
    values = {"random": right_NxMxX.mean(axis=1), "best": best_NxX, "zero_shot": zero_shot_NxX}
    return [
        row
        for bound, values_NxX in values.items()
        for row in writer.rows({results.BOUND: bound}, {results.bound_accuracy.name: values_NxX})
    ]


def of_set(values_NxMxX: np.ndarray, set_N: np.ndarray) -> np.ndarray:
    """Return the values of one set of each choice, (N, X)."""
    return np.take_along_axis(values_NxMxX, set_N[:, None, None], axis=1)[:, 0]


def _over_episodes(name: str, values: np.ndarray) -> list[dict]:
    """Return the columns of a decoder, whose N choices are its episodes: mean and error of (N,) or (N, 1) numbers."""
    if name == results.undefined.name:
        return [{name: int(values.sum())}]
    return [mean_over_episodes(name, values.reshape(len(values)), undefined=name == results.spearman.name)]


DECODER = Writer([{}], _over_episodes)  # one at a time; the study adds its seed


def decoder_rows(measured: Measured, counts: list[int]) -> dict[str, list[dict]]:
    """Return the tables of a decoder.

    The first queries of an episode are for validation; those after the largest number of them are the test.
    """
    test = {
        name: measured[name][..., max(counts) :].mean(axis=-1, dtype=np.float64)[..., None]
        for name in (*SCORES, "zero_shot")
    }
    return {
        results.CHOICE: chosen_rows(DECODER, measured, test, counts),
        results.BOUNDS: bound_rows(DECODER, test["accuracy"], test["zero_shot"]),
        results.PATH: path_rows(measured, counts),
        results.REACHED: reached_rows(measured, counts),
    }


def path_rows(measured: Measured, counts: list[int]) -> list[dict]:
    """Return one row per half of the sets and number of demonstrations: path.csv."""
    return [
        {results.HALF: half, results.LEARNED: number} | mean_over_episodes(results.rank.name, ranks_BxN[:, number])
        for half, ranks_BxN in _halves(measured, "rank", counts).items()
        for number in range(ranks_BxN.shape[1])
    ]


def reached_rows(measured: Measured, counts: list[int]) -> list[dict]:
    """Return one row per half of the sets, and one for their difference: reached.csv."""
    halves = _halves(measured, "steps", counts)
    halves[DIFFERENCE] = halves[BETTER] - halves[WORSE]
    return [
        {results.HALF: half} | mean_over_episodes(results.steps.name, values_B) for half, values_B in halves.items()
    ]


def _halves(measured: Measured, name: str, counts: list[int]) -> dict[str, np.ndarray]:
    """Return the mean over the better and over the worse half of an episode's sets, (B, ..), by their Effect_D on the
    most validation queries; of an odd number of sets the middle one is left out."""
    effect_BxM, _ = best_set(measured["effect"][..., : max(counts)], "effect")
    order_BxM = np.argsort(-effect_BxM, axis=1, kind="stable")
    half, values = effect_BxM.shape[1] // 2, measured[name].astype(np.float64)
    places = {BETTER: order_BxM[:, :half], WORSE: order_BxM[:, -half:]}
    return {
        each: np.mean(np.stack([values[b, place] for b, place in enumerate(places_BxM)]), axis=1)
        for each, places_BxM in places.items()
    }
