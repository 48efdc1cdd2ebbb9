"""The time of a decoder's training step in the lab, written by hand and in PyTorch, one group of bars per size.

A round of measurements plays the role of a seed. Numbers are ratios of two times of one round, since other work on the
machine slows both of them alike.
"""

from collections.abc import Callable

import numpy as np
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import own
from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate
from analysis.figures.evidence import Condition, below
from analysis.figures.narrow import is_narrow
from analysis.tables.select import NotMeasured, Row, distinct, numbers, rows_where, table
from experiments.timing.decoder_speed.columns import Steps, Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: the time of a training step over that of the lab's in the same round, with the milliseconds. Right: "
    "operations per second as a share of those of the fastest matrix product on this device. Medians over the rounds, "
    "with bars from the first to the third quartile. All programs are timed in turns by one process."
)
NEEDS_POINTS = True
PROGRAMS = {  # label, colour
    "lab": ("the lab", "#0072B2"),
    "by_hand": ("written by hand in JAX", "#999999"),
    "torch": ("PyTorch's Transformer", "#D55E00"),
}
SIZE = (Steps.WIDTH, Steps.LAYERS, Steps.PROMPTS, Steps.TOKENS)


def sizes(rows: list[Row]) -> dict[str, list[Row]]:
    """Return {a size in words: its rows}, smallest first."""
    words = "width {:g}, {:g} layers,\n{:g} prompts of {:g} tokens"
    groups: dict[tuple[float, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.number(name) for name in SIZE), []).append(row)
    return {words.format(*size): groups[size] for size in sorted(groups)}


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, Table.STEPS)
    groups = sizes(rows)
    figure, (panels,) = style.panels(1, 2, width=10, height=1.2 + 0.9 * len(groups))
    names = [name for name in PROGRAMS if name in distinct(rows, Steps.PROGRAM)]
    for number, name in enumerate(names):
        label, color = PROGRAMS[name]
        places = np.arange(len(groups)) + 0.25 * (number - (len(names) - 1) / 2)
        slower = [(times(group, name) / times(group, "lab")).by_seed.values() for group in groups.values()]
        shares = [numbers(rows_where(group, {Steps.PROGRAM: name}), Steps.SHARE) for group in groups.values()]
        for panel, values in zip(panels, (slower, shares), strict=True):
            low, middle, high = np.quantile([list(each) for each in values], (0.25, 0.5, 0.75), axis=1)
            panel.barh(places, middle, 0.22, xerr=(middle - low, high - middle), color=color, label=label)
        for place, group in zip(places, groups.values(), strict=True):
            milliseconds = np.median(list(times(group, name).by_seed.values()))
            panels[0].text(0.03, place, f"{milliseconds:.3g} ms", color="white", va="center", fontsize="small")
    for panel in panels:
        panel.invert_yaxis()
    panels[0].set(xlabel="time of a training step / of the lab's", yticks=range(len(groups)), yticklabels=groups)
    panels[1].set(xlabel="share of peak operations", yticks=range(len(groups)), yticklabels=groups)
    if not is_narrow():
        panels[1].set(yticks=[])  # as on the left
    style.legend(panels[1])
    return figure


def times(rows: list[Row], program: str) -> Estimate:
    """Return the milliseconds per step of each round.

    Raises:
        NotMeasured: the program was not timed.
    """
    if program not in distinct(rows, Steps.PROGRAM):
        raise NotMeasured("PyTorch was not installed" if program == "torch" else f"{program} was not timed")
    return Estimate(
        {row.number(Steps.ROUND): row.number(Steps.MILLISECONDS) for row in rows_where(rows, {Steps.PROGRAM: program})}
    )


def no_slower(other: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether the lab's step takes no longer than another program's, at every size."""

    def judge(directory: RunDirectory) -> list[Condition]:
        return [
            below(
                f"{' '.join(size.split())}: time of the lab's step / of {PROGRAMS[other][0]}",
                times(rows, "lab") / times(rows, other),
                1.1,
            )
            for size, rows in sizes(table(directory, Table.STEPS)).items()
        ]

    return judge


CLAIMS = (
    Claim(
        statement="A decoder's training step in the lab takes no longer than the same step written by hand.",
        source=own("measured here"),
        criterion="at every size the mean over rounds of the ratio of their times is below 1.1",
        judge=no_slower("by_hand"),
        repeats="rounds",
    ),
    Claim(
        statement="It takes no longer than that of PyTorch's Transformer.",
        source=own("measured here"),
        criterion="at every size the mean over rounds of the ratio of their times is below 1.1",
        judge=no_slower("torch"),
        repeats="rounds",
    ),
)
