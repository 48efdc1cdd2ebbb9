"""A number of a sweep's points against a setting, as a line; of repetitions with other seeds as a mean with a band."""

import numpy as np
from matplotlib.axes import Axes

from analysis.figures.axes import Series

POINT = {"marker": "o", "markersize": 3}
BAND = {"alpha": 0.2, "linewidth": 0}


def draw(panel: Axes, line: Series, number: str, label: str, color, dashes: str = "-", **options) -> None:
    """Draw one number against the setting of a series.

    Points that differ in the setting are joined by a line, with bars of the errors that they have. Points that differ
    in their seeds alone are drawn one by one, with their mean and a band of one standard deviation over them: a line
    from seed to seed would mean nothing.

    Args:
        options: of the line, and `error`: the column with the errors of single points.
    """
    error = options.pop("error", f"{number}.stderr")
    label = label or "_one"
    if line.repeats:
        values = [row.number(number) for row in line.rows]
        errors = np.nan_to_num([float(row.get(error) or 0.0) for row in line.rows])
        panel.errorbar(line.x, values, errors, color=color, label=label, capsize=2, linestyle="none", **POINT)
        mean, spread = line.mean(number)
        ends = [min(line.x), max(line.x)]
        panel.plot(ends, [mean, mean], dashes, color=color, **options)
        if len(values) > 1:
            panel.fill_between(ends, mean - spread, mean + spread, color=color, **BAND)
        if all(isinstance(x, float) for x in line.x):
            panel.set_xticks(line.x, [f"{x:g}" for x in line.x])
        return
    x, means, spreads = line.means(number, error)
    if not line.is_repeated:
        panel.errorbar(x, means, spreads, color=color, label=label, capsize=2, linestyle=dashes, **POINT, **options)
        return
    panel.plot(x, means, dashes, color=color, label=label, **options)
    panel.fill_between(x, means - spreads, means + spreads, color=color, **BAND)
    panel.plot(line.x, [row.number(number) for row in line.rows], color=color, linestyle="none", **POINT)
