"""Times over rounds of measurements: medians with bars from the first to the third quartile."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from analysis.figures.estimates import Estimate

CAPTION = "Medians over the rounds, with bars from the first to the third quartile."


def quartiles(numbers: Sequence[Estimate]) -> tuple[np.ndarray, np.ndarray]:
    """Return the medians over rounds, and the lengths of the bars on both sides, (2, n)."""
    rounds = [np.quantile([*each.by_seed.values()], (0.25, 0.5, 0.75)) for each in numbers]
    low, middle, high = np.transpose(rounds)
    return middle, np.array([middle - low, high - middle])


def line(panel: Axes, x: Sequence[float], numbers: Sequence[Estimate], **look) -> None:
    """Draw numbers over rounds against x."""
    middle, bars = quartiles(numbers)
    panel.errorbar(x, middle, bars, **{"fmt": "-o", "markersize": 4, "capsize": 2} | look)


def bars(panel: Axes, groups: Sequence[str], series: Mapping[str, tuple[str, Sequence[Estimate]]]) -> None:
    """Draw groups of horizontal bars, from the top.

    Args:
        groups: their names.
        series: {label: (colour, the number of each group)}, a bar in every group.
    """
    for number, (label, (color, numbers)) in enumerate(series.items()):
        middle, lengths = quartiles(numbers)
        height = 0.8 / len(series)
        places = np.arange(len(groups)) + (number + 0.5) * height - 0.4
        panel.barh(places, middle, 0.9 * height, xerr=lengths, color=color, label=label)
    panel.set(yticks=range(len(groups)), yticklabels=groups)
    panel.invert_yaxis()
