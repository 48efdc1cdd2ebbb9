"""Makes rows of tables about the choice of a set of demonstrations: every difference is paired.

Shapes: N choices that are made (one per episode of a decoder, or per draw of sets), M sets, X tests of a set:
test rows of a language model, or a single mean over the test queries of an episode.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.effect import best_set, spearman
from experiments.demonstrations.demonstration_choice import results
from experiments.demonstrations.demonstration_choice.measure import Measured
from experiments.demonstrations.demonstration_choice.results import BETTER, DIFFERENCE, SCORES, WORSE

Values = Mapping[str, np.ndarray]  # {score: the values of every set}


@dataclasses.dataclass(frozen=True)
class Chosen:
    """The sets that one score chooses on so many validation queries.

    Args:
        place: the columns of score and number of queries.
        on_test: {column: (N, X)} of the chosen set on the test.
        correlation_N: over the sets, of their score with their test accuracy; NaN where it is not defined.
        validation_N: the score of the chosen set. tied_N: how many sets have it.
    """

    place: dict
    on_test: dict[str, np.ndarray]
    correlation_N: np.ndarray
    validation_N: np.ndarray
    tied_N: np.ndarray


def choices(validation: Values, test: Values, counts: Sequence[int]) -> Iterator[Chosen]:
    """Choose by every score and number of validation queries.

    Args:
        validation: (N, M, V) each, of which the first queries choose. test: (N, M, X) each.
    """
    right = test["accuracy"]
    best = {(score, count): best_set(validation[score][..., :count], score) for score in SCORES for count in counts}
    for (score, count), (values_NxM, best_N) in best.items():
        right_NxX = of_set(right, best_N)
        validation_N = np.take_along_axis(values_NxM, best_N[:, None], axis=1)[:, 0]
        yield Chosen(
            {results.SCORE: score, results.QUERIES: count},
            {
                results.accuracy.name: right_NxX,
                results.gain.name: right_NxX - right.mean(axis=1),
                results.lead.name: of_set(right, best["effect", count][1]) - right_NxX,
                results.test.name: of_set(test[score], best_N),
            },
            spearman(SCORES[score] * values_NxM, right.mean(axis=2)),
            validation_N,
            np.sum(values_NxM == validation_N[:, None], axis=1),
        )


def bounds(right_NxMxX: np.ndarray, zero_shot_NxX: np.ndarray) -> dict[str, np.ndarray]:
    """Return the accuracies (N, X) of a random set, of the best set on the test itself, and of no set."""
    best_NxX = of_set(right_NxMxX, np.argmax(right_NxMxX.mean(axis=2), axis=1))
    return {"random": right_NxMxX.mean(axis=1), "best": best_NxX, "zero_shot": zero_shot_NxX}


def of_set(values_NxMxX: np.ndarray, set_N: np.ndarray) -> np.ndarray:
    """Return the values of one set of each choice, (N, X)."""
    return np.take_along_axis(values_NxMxX, set_N[:, None, None], axis=1)[:, 0]


def choice_rows(measured: Measured, counts: list[int]) -> list[dict]:
    """Return the rows of choice.csv of a decoder, whose errors are over episodes.

    The first queries of an episode are for validation; those after the largest number of them are the test.
    """
    test = {score: _test(measured, score, counts)[..., None] for score in SCORES}
    rows = []
    for each in choices(measured, test, counts):
        names = (results.accuracy.name, results.gain.name, results.lead.name)
        row = dict(each.place)
        for name in names:
            row |= mean_over_episodes(name, each.on_test[name][:, 0])
        row |= mean_over_episodes(results.spearman.name, each.correlation_N, undefined=True)
        row |= {results.undefined.name: int(np.isnan(each.correlation_N).sum())}
        test_B = each.on_test[results.test.name][:, 0]
        last = {results.validation: each.validation_N, results.test: test_B,
                results.optimism: each.validation_N - test_B, results.tied: each.tied_N}  # fmt: skip
        for column, values_B in last.items():
            row |= mean_over_episodes(column.name, values_B)
        rows.append(row)
    return rows


def bound_rows(measured: Measured, counts: list[int]) -> list[dict]:
    """Return the rows of bounds.csv of a decoder."""
    right_BxMx1, alone_Bx1 = (_test(measured, name, counts)[..., None] for name in ("accuracy", "zero_shot"))
    return [
        {results.BOUND: name} | mean_over_episodes(results.bound_accuracy.name, values_Bx1[:, 0])
        for name, values_Bx1 in bounds(right_BxMx1, alone_Bx1).items()
    ]


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


def _test(measured: Measured, score: str, counts: list[int]) -> np.ndarray:
    return measured[score][..., max(counts) :].mean(axis=-1, dtype=np.float64)
