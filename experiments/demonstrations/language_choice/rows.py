"""Makes rows of tables of what every draw of sets has measured. Errors are over draws and test rows, gains paired."""

from collections.abc import Mapping, Sequence

import numpy as np

from experiments.demonstrations.demonstration_choice import results
from experiments.demonstrations.demonstration_choice.results import SCORES, SEED
from experiments.demonstrations.demonstration_choice.rows import bounds, choices
from experiments.demonstrations.two_way import set_columns, stacked

# Of each draw of M sets {SCORE.validation: (M, V), SCORE.test: (M, X), zero_shot: (X,)}.
Draws = Sequence[Mapping[str, np.ndarray]]


def choice_rows(seeds: Sequence[int], draws: Draws, counts: Sequence[int]) -> list[dict]:
    """Return one row per score, number of validation rows and draw: choice.csv."""
    validation, test = (
        {score: stacked(draws, f"{score}.{side}") for score in SCORES} for side in ("validation", "test")
    )
    rows = []
    for each in choices(validation, test, counts):
        for place, seed in enumerate(seeds):
            numbers = {name: set_columns(name, values, place) for name, values in each.on_test.items()}
            test_columns = numbers.pop(results.test.name)
            undefined = bool(np.isnan(each.correlation_N[place]))
            rows.append(
                {SEED: seed, **each.place}
                | {name: value for columns in numbers.values() for name, value in columns.items()}
                | {results.spearman.name: None if undefined else float(each.correlation_N[place])}
                | {results.undefined.name: int(undefined), results.validation.name: float(each.validation_N[place])}
                | test_columns
                | {
                    results.optimism.name: float(
                        each.validation_N[place] - each.on_test[results.test.name][place].mean()
                    ),
                    results.tied.name: int(each.tied_N[place]),
                }
            )
    return rows


def bound_rows(seeds: Sequence[int], draws: Draws) -> list[dict]:
    """Return one row per set that no score chooses, and draw: bounds.csv."""
    return [
        {SEED: seed, results.BOUND: bound} | set_columns(results.bound_accuracy.name, values_SxX, place)
        for bound, values_SxX in bounds(stacked(draws, "accuracy.test"), stacked(draws, "zero_shot")).items()
        for place, seed in enumerate(seeds)
    ]
