"""The table `features`: how much the predictions of trained learners change with each input column of a table."""

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.metrics.answers import Answers
from experiments.regression.comparison.results import Features


def sensitivities(answers: Mapping[str, Answers]) -> dict[str, dict[str, np.ndarray]]:
    """Return the mean absolute derivatives of learners' predictions by each input.

    Args:
        answers: {learner: its answers to B test episodes}.

    Returns:
        {learner: {column of features.csv: (I,)}}, a mean over episodes, queries and outputs; nothing for tasks without
        z-scored inputs, which are those without a table.
    """
    means = {}
    for name, each in answers.items():
        if each.sensitivity is None or each.slopes is None:
            continue
        own_BxQxAxI = np.abs(np.asarray(each.sensitivity, np.float64))
        slopes_BxQx1xI = np.abs(np.asarray(each.slopes, np.float64))[:, :, None]
        means[name] = {
            Features.SENSITIVITY.value: own_BxQxAxI.mean(axis=(0, 1, 2)),
            Features.SENSITIVITY_Z.value: (own_BxQxAxI * slopes_BxQx1xI).mean(axis=(0, 1, 2)),
        }
    return means


def rows(seeds: Sequence[int], columns: Sequence[str], features: Mapping[str, Mapping[str, np.ndarray]]) -> list[dict]:
    """Return the rows of features.csv.

    Args:
        columns: the names of the I inputs.
        features: what `sensitivities` returns, with an axis over the seeds in front of the inputs.
    """
    return [
        {Features.SEED: seed, Features.LEARNER: learner, Features.COLUMN: column}
        | {name: float(values_PxI[member, i]) for name, values_PxI in means.items()}
        for learner, means in features.items()
        for member, seed in enumerate(seeds)
        for i, column in enumerate(columns)
    ]
