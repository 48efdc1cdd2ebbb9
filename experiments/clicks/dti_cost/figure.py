"""The cost of sliding windows over that of prompts of k targets, counted in operations and measured in time [DTI]."""

import itertools

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import rounds, style
from analysis.tables.select import Row, text
from experiments.clicks.dti_cost import results
from lab.runs.directory import RunDirectory

CAPTION = (
    "Gain of a prompt of k targets over k sliding windows in a training step, against k, per window n, tokens of an "
    "interaction c and width d. Black: the source's formula nk/(n + k). Grey: all tokens, and products with weights "
    f"alone. Squares: operations as XLA counts them. Circles: time. {rounds.CAPTION} All are computed at once or some "
    "prompts at a time, whichever is faster. Full: one masked matrix of scores; band: blocks of n, n/2, ... "
    "interactions."
)
COUNTED = {results.FORMULA: ("formula", "-", "#000000"), results.TOKENS: ("tokens", "--", "#777777"),
           results.PROJECTIONS: ("products with weights", ":", "#777777")}  # fmt: skip
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255")


def draw(directory: RunDirectory) -> Figure:
    place = (results.N, results.C, results.D)  # of a panel, along which k varies
    ordered = sorted(results.steps(directory), key=lambda row: [row[name] for name in (*place, results.K)])
    groups = [[*group] for _, group in itertools.groupby(ordered, lambda row: [row[name] for name in place])]
    figure, axes = style.panels(1, len(groups), width=4 * len(groups), height=4)
    for panel, rows in zip(axes[0], groups, strict=True):
        _panel(panel, rows, directory)
        panel.set_title(", ".join(f"{name} = {text(rows[0][name])}" for name in place))
    style.legend(*axes[0])
    return figure


def _panel(panel: Axes, rows: list[Row], directory: RunDirectory) -> None:
    k = [row.number(results.K) for row in rows]
    for column, (label, line, color) in COUNTED.items():
        panel.plot(k, [row[column] for row in rows], line, color=color, label=label)
    panel.legend(loc="upper left")
    of_time = [results.gains(directory, row) for row in rows]
    for way, color in zip(results.ways_of(rows[0]), itertools.cycle(COLOURS), strict=False):
        blocks = f"band, blocks of n/{way.removeprefix(results.BAND)}".removesuffix("/1")
        name = "full" if way == results.FULL else blocks
        panel.plot(k, [row[results.FLOPS + way] for row in rows], "s", color=color, mfc="none")
        rounds.line(panel, k, [each[way] for each in of_time], color=color, label=name)
    panel.set(
        xlabel="k, targets of a prompt", ylabel="gain", ylim=(0, 1.6 * panel.get_ylim()[1])
    )  # room for the legend
    panel.set_xticks(k, [text(each) for each in k])
