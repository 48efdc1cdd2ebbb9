"""What learners have learned of the functions of a few prompts, as curves: `along.csv`, for tasks of one input."""

from collections.abc import Mapping

import numpy as np

from analysis.metrics.answers import Answers
from tasks.episode import Episode

PROMPTS = 3  # that are shown
TARGET, CONTEXT = "target", "context"  # in the column of learners: the function itself, and the examples of it


def rows(answers: Mapping[str, Answers], episodes: Episode) -> list[dict]:
    """One row per prompt, learner and place: the input, and what is said there."""
    curves = {TARGET: episodes.target} | {name: each.prediction for name, each in answers.items()}
    x_BxQ, prompt = episodes.prompt.query.x[..., 0], episodes.prompt
    shown = [(name, x_BxQ, curve_BxQxA[..., 0]) for name, curve_BxQxA in curves.items()]
    shown.append((CONTEXT, prompt.context.x[..., 0], prompt.answers[..., 0]))
    return [
        {"prompt": index, "learner": name, "x": float(x), "answer": float(value)}
        for index in range(len(x_BxQ))
        for name, x_BxM, values_BxM in shown
        for x, value in zip(np.asarray(x_BxM)[index], np.asarray(values_BxM)[index], strict=True)
    ]
