"""The finding of a figure as its title: the statement of a claim that the run's own tables decide."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.figures.claim import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LETTER, LINE, GAP = 0.085, 0.18, 0.12  # inches: a letter, a line, and the room below the last one
SIZE = 10  # points


def finding(claims: Sequence[dict]) -> str:
    """Return the first verdict as a sentence; "" where no claim is decided.

    Args:
        claims: verdicts on a figure's own claims, as `summary.json` has them. Those of a sweep's points are left out.
    """
    for claim in claims:
        if "point" not in claim and claim["outcome"] == Outcome.HOLDS:
            return claim["statement"]
        if "point" not in claim and claim["outcome"] == Outcome.DOES_NOT_HOLD:
            return f"It does not hold: {claim['statement']}"
    return ""


def headed(figure: "Figure", text: str) -> "Figure":
    """Return a figure that is not arranged yet with a text above it, in lines that fit, and higher by these lines; "":
    nothing."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from analysis.figures.narrow import is_narrow

    engine = figure.get_layout_engine()
    if not text or not isinstance(engine, ConstrainedLayoutEngine):
        return figure
    lines = textwrap.wrap(text, int((figure.get_figwidth() - 0.2) / LETTER))
    high = LINE * len(lines) + GAP
    height = figure.get_figheight() + high
    figure.set_figheight(height)
    top = 1 - high / height
    engine.set(rect=(0, 0, 1, top))
    for legend in figure.legends if is_narrow() else ():  # above the panels
        legend.set_bbox_to_anchor((0, 0, 1, top), figure.transFigure)
    figure.text(0.5, 1 - GAP / 2 / height, "\n".join(lines), ha="center", va="top", fontsize=SIZE, weight="bold")
    return figure
