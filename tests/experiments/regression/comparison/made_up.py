"""Tables of comparisons that are made up, and the verdicts that they give, by the criteria of claims alone: their
controls are in tests/experiments/regression/comparison/test_controls.py."""

import dataclasses

from analysis import figures

SEEDS = {0: -1.0, 1: 0.0, 2: 1.0}  # and how each deviates from the mean
NOISE = 1e-4


def judged(figure, directory):
    return [dataclasses.replace(claim, controls=()).evaluate(directory, {}) for claim in figures.load(figure).CLAIMS]


def verdicts(figure, directory):
    return [claim["holds"] for claim in judged(figure, directory)]


def seeds(place, learner, noise=NOISE, evaluation="test", **numbers):
    """Rows of seeds.csv: these numbers, less or more by so much, one row per seed."""
    return [
        place
        | {"seed": seed, "evaluation": evaluation, "learner": learner}
        | {name: value + noise * deviation for name, value in numbers.items()}
        for seed, deviation in SEEDS.items()
    ]


def curve(place, by_step, noise=NOISE):
    """Rows of curves.csv of {step: its numbers}."""
    return [
        place | {"step": step, "seed": seed} | {name: value + noise * deviation for name, value in numbers.items()}
        for step, numbers in by_step.items()
        for seed, deviation in SEEDS.items()
    ]
