"""Schemes with the settings that were chosen for each on other users: a drawing, judges and a control."""

import collections

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.claim import Control
from analysis.figures.evidence import Condition, above, below
from analysis.tables.columns import Table
from analysis.tables.select import NotMeasured, distinct, table, text
from experiments.clicks.dti.drawing.chosen import OTHERS, Place, chosen, options, rows_of_chosen, tuned
from experiments.clicks.dti.drawing.controls import HALF, share_of_window, use_history
from experiments.clicks.dti.drawing.measures import LABELS, NEAR, SLIDING, relative
from experiments.clicks.dti.drawing.remedies import Judge
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


def tuned_better(part: str, other: str) -> Judge:
    """Return a judge of whether a tuned part has a higher AUC than another."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        difference = tuned(rows, part) - tuned(rows, other)
        return [above(f"AUC of {LABELS[part]} - of {LABELS[other]}, both tuned", difference)]

    return judge


def tuned_near(part: str) -> Judge:
    """Return a judge of whether a tuned part is at most NEAR below the tuned sliding window."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = table(directory, Table.CLICKS)
        share = relative(tuned(rows, part), tuned(rows, SLIDING))
        return [above(f"AUC of {LABELS[part]} / of the sliding window - 1, both tuned", share, -NEAR)]

    return judge


def below_sliding(directory: RunDirectory) -> list[Condition]:
    """Judge whether the tuned DTI- has a lower AUC than the tuned sliding window."""
    rows = table(directory, Table.CLICKS)
    return [below("AUC of DTI- - of the sliding window, both tuned", tuned(rows, "naive") - tuned(rows, SLIDING))]


def use_history_when_tuned(*parts: str) -> Control:
    """Return the control of `use_history`, with the settings chosen for each seed."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows, conditions = table(directory, Table.CLICKS), []
        for part in parts:
            share = share_of_window(rows_of_chosen(rows, part), part)
            conditions.append(above(f"{LABELS[part]}: share of what a window tells", share, HALF))
        return conditions

    return Control(use_history(HALF, *parts).name, judge)
