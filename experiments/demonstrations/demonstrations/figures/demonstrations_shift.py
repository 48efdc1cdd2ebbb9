"""Search for demonstrations where users change before the test, and where part of a pool is another person's [LRGD]."""

import numpy as np
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.controls import Control
from analysis.results.column import FIRST, Choice
from analysis.results.declared import claim
from analysis.tables.select import distinct, table
from experiments.demonstrations.demonstrations.results import DIFFERENCES, FLAT, LEARNS, ahead, ndcg
from lab.runs.directory import RunDirectory

CAPTION = (
    "Differences of nDCG@10 on test queries, of the same users, mean over seeds; bars are two standard errors. Against "
    "the share of a user's taste and habits that has changed before the test, one line per share of the pool that is "
    "another person's. Left: three paths, perturbed by any other path, minus the same without perturbation. Middle: "
    "the same minus one path with sets as long and as many evaluations. Right: that search minus the whole pool."
)
NEEDS_POINTS = True
SHIFT, CONTAMINATION = "shift", "contamination"
PANELS = (
    ("three_other", "three", "perturbed - not"),
    ("three_other", "long_more", "perturbed - one long path"),
    ("long_more", "whole_pool", "one long path - whole pool"),
)
COLOURS = ("#0072B2", "#E69F00", "#D55E00", "#009E73", "#CC79A7")


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, DIFFERENCES)
    shifts, shares = distinct(rows, SHIFT), distinct(rows, CONTAMINATION)
    figure, axes = style.panels(1, len(PANELS), width=13, height=3.8)
    for panel, (method, other, label) in zip(axes[0], PANELS, strict=True):
        gains = ahead(method, other, (CONTAMINATION, SHIFT)).numbers(directory).values()
        means, errors = (np.reshape(each, (len(shares), len(shifts))) for each in zip(
            *((gain.mean, np.nan_to_num(2 * gain.stderr)) for gain in gains), strict=True))  # fmt: skip
        for line, error, share, color in zip(means, errors, shares, COLOURS, strict=False):
            panel.errorbar(shifts, line, error, fmt="-o", color=color, capsize=2,
                           label=f"{share:g} of the pool another's")  # fmt: skip
        panel.axhline(0, color="#999999", linewidth=0.8)
        panel.set(xlabel="share of the user that has changed", ylabel=f"{ndcg.label}, {label}")
    style.legend(axes[0, 0])
    return figure


MOST = Choice("largest", lambda values: values[-1:] if len(values) > 1 and values[0] == 0 else [])
gain_now, gain_later = (ahead("three_other", "three", CONTAMINATION, shift=shift) for shift in (0, MOST))
search_clean, search_mixed = (
    ahead("long_more", "whole_pool", (), shift=FIRST, contamination=share) for share in (0, MOST)
)
USED = ahead("most random", "fewest random", (), shift=FIRST, contamination=FIRST) > 0
FIGURE_5 = "section 3.5 and figure 5"

CONTROLS = (Control(LEARNS, USED), FLAT)
CLAIMS = (
    claim(
        "Perturbation helps where users have changed between validation and test.",
        said(Work.LRGD, FIGURE_5, "adapt to potential shifts in the ground-truth result region"),
        gain_later > 0,
        "three paths perturbed by any other path, and without perturbation",
    ),
    claim(
        "Perturbation helps more where users have changed between validation and test.",
        stronger(Work.LRGD, FIGURE_5, "adapt to potential shifts in the ground-truth result region"),
        gain_later - gain_now > 0,
        "three paths perturbed by any other path, and without perturbation",
    ),
    claim(
        "Search is worth more where part of the pool is another person's.",
        own("derived here from LRGD, section 3.4: demonstrations differ in how good they are"),
        search_mixed - search_clean > 0,
    ),
)
