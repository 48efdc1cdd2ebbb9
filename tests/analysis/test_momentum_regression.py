"""Claims of `momentum_regression`, on made-up tables."""

import pytest

from experiments.regression.comparison.figures import momentum_regression

DESCENTS = ("gradient_descent", "heavy_ball")


class Directory:
    """losses: {part: (at half of the steps, at the end)}; distances: {part: (from gradient descent, from heavy ball)}.
    Of three seeds, whose numbers differ by more than parts do: only paired differences tell them apart."""

    def __init__(self, losses, distances):
        seeds = [(float(seed), 1 + 0.1 * seed) for seed in range(3)]
        self.tables = {
            "curves": [
                {"part": part, "seed": seed, "step": step, "loss.transformer": loss * factor}
                for part, both in losses.items()
                for step, loss in zip((50.0, 100.0), both, strict=True)
                for seed, factor in seeds
            ],
            "seeds": [
                {"part": part, "seed": seed, "evaluation": "test", "learner": learner, "prediction_l2": value * factor}
                for part, both in distances.items()
                for learner, value in zip(DESCENTS, both, strict=True)
                for seed, factor in seeds
            ],
        }

    def has_table(self, name):
        return name in self.tables

    def read_table(self, name):
        return self.tables[name]


LOSSES = {"linear_1": (0.5, 0.4), "linear_2": (0.3, 0.2), "momentum_1": (0.48, 0.39), "momentum_2": (0.29, 0.19)}
DISTANCES = {"linear_2": (0.4, 0.3), "momentum_2": (0.3, 0.2)}


@pytest.mark.parametrize(
    ("losses", "distances", "expected"),
    [
        ({}, {}, [True, True, True]),
        ({"momentum_2": (0.31, 0.19)}, {}, [False, True, True]),
        ({"momentum_1": (0.48, 0.41)}, {}, [True, False, True]),
        ({}, {"momentum_2": (0.19, 0.2)}, [True, True, False]),
        ({}, {"linear_2": (0.4, 0.19)}, [True, True, False]),
    ],
)
def test_claims(losses, distances, expected):
    directory = Directory(LOSSES | losses, DISTANCES | distances)
    assert [claim.evaluate(directory, {})["holds"] for claim in momentum_regression.CLAIMS] == expected
