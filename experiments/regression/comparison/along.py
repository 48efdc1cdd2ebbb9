"""The table `along`: answers of learners to a few prompts along the range of the input, for tasks of one input."""

from collections.abc import Mapping

import numpy as np

from analysis.metrics.answers import Answers
from experiments.regression.comparison.results import Along
from tasks.episode import Episode

PROMPTS = 3  # the number of prompts in the table
TARGET, CONTEXT = "target", "context"  # in the column of learners: the function itself, and the examples of it


def rows(answers: Mapping[str, Answers], episodes: Episode) -> list[dict]:
    """Return the rows of along.csv.

    Args:
        answers: those of the learners, (B, Q, A) each.
        episodes: B episodes, whose queries lie on a grid (`tasks.wrapper`).
    """
    curves = {TARGET: episodes.target} | {name: each.prediction for name, each in answers.items()}
    x_BxQ, prompt = episodes.prompt.query.x[..., 0], episodes.prompt
    points = [(name, x_BxQ, curve_BxQxA[..., 0]) for name, curve_BxQxA in curves.items()]
    points.append((CONTEXT, prompt.context.x[..., 0], prompt.answers[..., 0]))
    return [
        {Along.PROMPT: index, Along.LEARNER: name, Along.X: float(x), Along.ANSWER: float(value)}
        for index in range(len(x_BxQ))
        for name, x_BxM, values_BxM in points
        for x, value in zip(np.asarray(x_BxM)[index], np.asarray(values_BxM)[index], strict=True)
    ]
