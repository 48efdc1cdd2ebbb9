"""The time of a decoder's training step in the lab, written by hand and in PyTorch, one group of bars per size."""

import textwrap

from matplotlib.figure import Figure

from analysis.figures import rounds, style
from analysis.figures.narrow import is_narrow
from analysis.results.timing import PROGRAM, STEPS, milliseconds, share_of_flops
from analysis.tables.select import distinct, table
from experiments.timing.decoder_speed.results import PROGRAMS, SIZE, ratio
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: the time of a training step over that of the lab's in the same round, with the milliseconds. Right: "
    f"operations per second over those of the fastest matrix product on this device. {rounds.CAPTION} All programs are "
    "timed in turns by one process."
)
NEEDS_POINTS = True
COLOURS = {"lab": "#0072B2", "by_hand": "#999999", "torch": "#D55E00"}


def draw(directory: RunDirectory) -> Figure:
    names = [name for name in PROGRAMS if name in distinct(table(directory, STEPS), PROGRAM)]
    times = {name: milliseconds.along(SIZE, name).numbers(directory) for name in names}
    sizes = [*times["lab"]]
    figure, (panels,) = style.panels(1, 2, width=10, height=1.2 + 0.9 * len(sizes))
    for number, panel in enumerate(panels):
        quantities = {name: share_of_flops.along(SIZE, name) if number else ratio(name, "lab") for name in names}
        numbers = {name: each.numbers(directory) for name, each in quantities.items()}
        series = {PROGRAMS[name]: (COLOURS[name], [each[size] for size in sizes]) for name, each in numbers.items()}
        rounds.bars(panel, [textwrap.fill(size, 24) for size in sizes], series)
    for bar, (name, place) in zip(panels[0].patches, ((name, size) for name in names for size in sizes), strict=True):
        (middle,), _ = rounds.quartiles([times[name][place]])
        panels[0].text(0.03, bar.get_y() + bar.get_height() / 2, f"{middle:.3g} ms", color="white", va="center",
                       fontsize="small")  # fmt: skip
    panels[0].set(xlabel="time of a training step / of the lab's")
    panels[1].set(xlabel=share_of_flops.label)
    if not is_narrow():
        panels[1].set(yticks=[])  # as on the left
    style.legend(panels[1])
    return figure
