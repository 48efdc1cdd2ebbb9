"""Rows of docs/vo23.md."""

import numpy as np

from tests.page_rows.cells import by_seed, large, mean, row, with_error

PAGE = "vo23.md"


def softmax() -> list[str]:
    """Softmax heads: excess over gradient descent, cosine and prediction difference, seeds apart where they differ."""
    names = {"linear": "linear, 1 head", "softmax_1": "softmax, 1 head", "softmax_2": "softmax, 2 heads",
             "softmax_4": "softmax, 4 heads"}  # fmt: skip
    lines = []
    for part, name in names.items():
        place = {"part": part, "evaluation": "test"}
        loss, descent = (
            by_seed("softmax_heads", "seeds", "loss", learner=learner, **place)
            for learner in ("transformer", "gradient_descent")
        )
        aligned = [
            by_seed("softmax_heads", "seeds", column, learner="gradient_descent", **place)
            for column in ("sensitivity_cosine", "prediction_l2")
        ]
        excess = loss / descent - 1
        groups = {"": np.ones(len(excess), bool)}
        if excess.max() > 2 * excess.min() and excess.max() > 0.2:
            low = excess < (excess.min() * excess.max()) ** 0.5 if excess.min() > 0 else excess < 0.2
            groups = {f": {low.sum()} of {len(low)} seeds": low, f", the other {(~low).sum()}": ~low}
        for words, chosen in groups.items():
            values = [excess[chosen], *(each[chosen] for each in aligned)]
            several = chosen.sum() > 1
            first = with_error(values[0]) if several else mean(values[0])
            lines.append(row(name + words, first, *(mean(each) for each in values[1:])))
    return lines


def stacks() -> list[str]:
    """Stacks of five layers: losses, and cosines with gradient descent and GD++."""
    lines = []
    for part, name in (("looped_5", "one layer in a loop"), ("own_5", "weights of their own")):
        place = {"part": part, "evaluation": "test"}
        loss = by_seed("stacks", "seeds", "loss", learner="transformer", **place)
        cosines = [
            by_seed("stacks", "seeds", "sensitivity_cosine", learner=learner, **place)
            for learner in ("gradient_descent", "gd_plus_plus")
        ]
        lines.append(row(name, with_error(loss, 4), mean(cosines[0]), mean(cosines[1], 4)))
    for learner, name in (("gradient_descent", "gradient descent"), ("gd_plus_plus", "GD++, rates for each step")):
        loss = by_seed("stacks", "seeds", "loss", learner=learner, part="own_5", evaluation="test")
        lines.append(row(name, with_error(loss, 4), "", ""))
    return lines


def applied() -> list[str]:
    """Layers that are applied 50 times: losses undamped and damped by .75."""
    names = {
        (1, "transformer"): "a layer that was trained alone",
        (1, "answers_only"): "... and changes y-slots alone",
        (1, "gradient_descent"): "gradient descent, best for 1 step",
        (2, "transformer"): "a layer that was trained in a loop of 2",
        (2, "gradient_descent"): "gradient descent, best for 2 steps",
        (5, "transformer"): "a layer that was trained in a loop of 5",
        (5, "gradient_descent"): "gradient descent, best for 5 steps",
    }
    lines = []
    for (layers, learner), name in names.items():
        place = {"layers": layers, "learner": learner}
        cells = [
            large(by_seed("more_steps", "applications", "loss", damping=damping, applications=50, **place))
            for damping in (1.0, 0.75)
        ]
        trained = by_seed("more_steps", "applications", "loss", damping=1.0, applications=layers, **place)
        lines.append(row(f"{name} ({mean(trained)})", *cells))
    return lines


TABLES = {"softmax": softmax, "stacks": stacks, "applied": applied}
