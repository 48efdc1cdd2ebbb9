"""Schemes with the settings that were chosen for each on other users: a drawing."""

import collections

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.columns import Table
from analysis.tables.select import NotMeasured, distinct, table, text
from experiments.clicks.dti.results import LABELS, OTHERS
from experiments.clicks.dti.results.chosen import Place, chosen, options, tuned
from lab.runs.directory import RunDirectory


def draw_tuned(directory: RunDirectory) -> Figure:
    """Draw every setting on the users that choose, and the chosen ones on the test users, one row per part.

    Beside it is how many seeds have chosen each.
    """
    rows = table(directory, Table.CLICKS)
    parts = [str(part) for part in distinct(rows, "part")]
    figure, axes = style.panels(1, 1, width=9, height=0.8 + 0.5 * len(parts))
    panel = axes[0, 0]
    for height, part in zip(range(0, -len(parts), -1), parts, strict=True):
        on_others = [each.mean for each in options(rows, part, answers=OTHERS).values()]
        try:
            places, number = chosen(rows, part).values(), tuned(rows, part)
        except NotMeasured:
            continue
        panel.plot(on_others, [height - 0.15] * len(on_others), "|", color="#999999", markersize=8)
        error = 2 * number.stderr if len(number.by_seed) > 1 else 0.0
        panel.errorbar([number.mean], [height], xerr=[error], fmt="o", color="#0072B2", capsize=2)
        words = ", ".join(f"{words_of(place)}: {count}" for place, count in sorted(collections.Counter(places).items()))
        panel.annotate(words, (number.mean, height + 0.15), fontsize=7, ha="center")
    panel.set_yticks(range(0, -len(parts), -1), [LABELS[part] for part in parts])
    panel.set(xlabel="AUC")
    return figure


def words_of(place: Place) -> str:
    """Return the settings in words."""
    return ", ".join(f"{name.split('.')[-1].replace('_', ' ')} {text(value)}" for name, value in place)
