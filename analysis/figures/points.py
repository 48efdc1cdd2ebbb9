"""The figure of any sweep of any kind: its first numbers, one panel each, against the setting with the most values.

There is one line per combination of the other settings' values, up to eight of them.
"""

import math
import textwrap

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.axes import scale, series
from analysis.figures.labels import common_kind, main_names, word_of
from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory

CAPTION = (
    "The first numbers of each point against a setting. Bars: one standard error, where it is known. Of points that "
    "differ in their seeds: each point, their mean, and a band of one standard deviation over them."
)
NEEDS_POINTS = True

NUMBERS, LINES = 4, 8
TITLE = 36  # most characters of a line of a panel's title


def draw(directory: RunDirectory) -> Figure:
    axis, lines = series(directory)
    summaries = directory.read_summary()["points"].values()
    kind = common_kind(summaries)
    numbers = main_names(name for summary in summaries for name in summary.get("numbers", {}))
    rows = [row for line in lines for row in line.rows]
    drawn_names = [name for name in numbers if any(math.isfinite(row.number(name)) for row in rows)][:NUMBERS]
    if not drawn_names:
        raise NotMeasured("no point has a number")
    colors = style.shades(min(len(lines), LINES))
    figure, axes = style.panels(1, len(drawn_names), width=max(3.6 * len(drawn_names), 5.0), height=3.6)
    for name, panel in zip(drawn_names, axes[0], strict=True):
        for i, line in enumerate(lines[:LINES]):
            line.draw(panel, name, line.place, colors[i])
        scale(panel, [value for line in lines[:LINES] for value in line.x])
        panel.set(xlabel=axis, title=textwrap.fill(word_of(kind, name).title, TITLE))
    if lines[0].place:
        style.legend(axes[0][0])
    if len(lines) > LINES:
        figure.suptitle(f"the first {LINES} of {len(lines)} combinations; all are in points.csv")
    return figure
