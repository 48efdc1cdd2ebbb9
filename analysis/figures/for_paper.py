"""Figures for a paper: one or two columns wide, letters of eight points, a PDF with embedded fonts, and the caption.

A style changes how a run is drawn and nothing else: not its name, and nothing of it is run again.
"""

import re
from typing import Any

import matplotlib

from analysis import figures
from analysis.figures import style
from analysis.figures.finding import finding
from analysis.figures.narrow import PAPER, on_paper
from lab.runs.console import say
from lab.runs.directory import RunDirectory
from lab.runs.hosts import on_first_process

FONTS: dict[Any, Any] = {
    "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8, "xtick.labelsize": 7, "ytick.labelsize": 7,
    "legend.fontsize": 7, "lines.linewidth": 1.2, "lines.markersize": 4, "figure.dpi": 300,
    "legend.handlelength": 1.6, "legend.columnspacing": 1.2,
}  # fmt: skip
SPECIAL = re.compile(r"[\\{}$&#_%~^]")
ESCAPED = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


@on_first_process
def draw(directory: RunDirectory) -> None:
    """Draw the figure of a finished run into `figures/NAME_paper.pdf` and `.png`, with its caption in `.tex`, and
    print these paths. A sweep of sweeps has no figure of its own, but its points have."""
    summary = directory.read_summary()
    name = summary.get("drawn")
    if not name:
        return
    stem = f"{name}{PAPER}"
    with style.paper(), style.closed(), on_paper(), matplotlib.rc_context(FONTS):
        figure = figures.load(name).draw(directory)
        style.save(figure, directory, stem, ("png", "pdf"))
        wide = "*" if figure.get_figwidth() > style.COLUMN else ""
    own = finding(summary["claims"]) if name == summary["figure"] else ""
    text = latex(stem, own, figures.captions(directory)[name], wide)
    with directory.whole(f"figures/{stem}.tex") as path:
        path.write_text(text, encoding="utf-8")
    for suffix in ("pdf", "png", "tex"):
        say(f"paper:   {directory.path / 'figures' / stem}.{suffix}")


def latex(stem: str, own: str, caption: str, wide: str) -> str:
    """Return the figure as LaTeX, with the finding at the beginning of its caption.

    Args:
        wide: "*" for a figure of two columns.
    """
    bold = rf"\textbf{{{escaped(own)}}} " if own else ""
    label = stem.removesuffix(PAPER)
    return (
        f"\\begin{{figure{wide}}}\n\\centering\n\\includegraphics{{{stem}}}\n"
        f"\\caption{{{bold}{escaped(caption)}}}\n\\label{{fig:{label}}}\n\\end{{figure{wide}}}\n"
    )


def escaped(text: str) -> str:
    """Return a text in which LaTeX reads no character as a command.

    >>> escaped("50% of x_1")
    '50\\\\% of x\\\\_1'
    """
    return SPECIAL.sub(lambda match: ESCAPED.get(match[0], f"\\{match[0]}"), text)
