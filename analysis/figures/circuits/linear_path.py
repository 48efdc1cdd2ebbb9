"""The loss on the linear path from the trained to the constructed Transformer."""

import numpy as np
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.columns import LinearPath, Table
from analysis.tables.select import numbers, table
from lab.runs.directory import RunDirectory

CAPTION = (
    "The loss on the linear path from the trained Transformer (0) to the constructed one (1) and beyond both, in their "
    "QK and OV circuits. A loss barrier between the two would mean two different solutions. Bars: two standard errors "
    "of the difference from the trained Transformer's loss, on the same validation episodes. The axis spans a fifth of "
    "the loss at least; what is above a thousand times the least loss is left out."
)
MOST = 1000  # times the least loss; larger losses, and those that are not finite, are left out
FLAT = 0.2  # the axis of losses spans at least this share of them, so that what is flat looks flat
ENDS = {0.0: "trained", 0.5: "half-way", 1.0: "constructed"}


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, Table.LINEAR_PATH)
    finite = [row for row in rows if np.isfinite(row.number(LinearPath.LOSS))]
    rows = [row for row in finite if row.number(LinearPath.LOSS) <= MOST * min(numbers(finite, LinearPath.LOSS))]
    drawn_columns = (LinearPath.WEIGHT, LinearPath.LOSS, f"{LinearPath.ABOVE_TRAINED}.stderr")
    weight, loss, error = (np.array(numbers(rows, key)) for key in drawn_columns)
    figure, axes = style.panels(1, 1, width=5.6, height=3.4)
    panel = axes[0][0]
    color = style.LEARNERS["interpolated"][1]
    panel.errorbar(weight, loss, 2 * np.nan_to_num(error), fmt="-o", color=color, markersize=3, capsize=2)
    low, high = panel.get_ylim()
    wanted = FLAT * np.mean(loss) if loss.size else 0.0
    if high - low < wanted:
        panel.set_ylim((low + high - wanted) / 2, (low + high + wanted) / 2)
    for place in ENDS:
        panel.axvline(place, color="#999999", linewidth=0.8)
    if loss.size and loss.max() > 5 * loss.min() > 0:
        style.log(panel)
    panel.set(xlabel="weight of the constructed Transformer", ylabel="loss, 1/2 squared error")
    panel.set_xticks([*ENDS], [f"{place:g}\n{name}" for place, name in ENDS.items()])
    return figure
