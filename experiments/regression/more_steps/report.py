"""The answer to whether the loss keeps falling when a trained layer is applied more often than in training."""

import re

from analysis.report.sentences import away, over_points, sentence
from analysis.report.values import Measured, number, setting

NAME = re.compile(r"loss\.transformer\.layers (\d+), damping ([\d·.]+)")
LARGE = 100.0  # a loss above it has diverged


def answer_of_run(summary: dict) -> str:
    """Return the loss after all applications, by the depth of training: undamped, and at the damping that is best."""
    by_layers: dict[int, dict[float, tuple[Measured, Measured | None]]] = {}
    for name in summary["numbers"]:
        if match := NAME.fullmatch(name):
            layers, damping = int(match[1]), float(match[2].replace("·", "."))
            loss, descent = number(summary, name), number(summary, name.replace("transformer", "gradient_descent"))
            if loss is not None:
                by_layers.setdefault(layers, {})[damping] = loss, descent
    clauses = [_depth(layers, losses) for layers, losses in sorted(by_layers.items())]
    if not clauses:
        return ""
    first = f"applied {setting(summary, 'times')} times, {'; '.join(clauses)}"
    return sentence(first, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of the loss after all applications, at the first depth and damping."""
    names = [name for point in summary["points"].values() for name in point["numbers"] if NAME.fullmatch(name)]
    if not names:
        return ""
    noun = f"the loss after all applications ({names[0].split('.')[2].replace('·', '.')})"
    return sentence(over_points(summary, names[0], noun), summary=summary)


def _depth(layers: int, losses: dict[float, tuple[Measured, Measured | None]]) -> str:
    best = min(losses, key=lambda damping: losses[damping][0].mean)
    loss, descent = losses[best]
    who = "a layer that was trained alone" if layers == 1 else f"one that was trained in a loop of {layers}"
    words = f"{who} has a loss of {loss.text()} damped by {best:g}"
    if best == 1.0:
        words = f"{who} has a loss of {loss.text()} undamped"
    if loss.mean > LARGE:
        words += " (diverged)"
    elif descent is not None and descent.mean > LARGE:
        words += ", where gradient descent diverges"
    elif descent is not None:
        words += f", {away(loss - descent, 'that of gradient descent')}"
    if best != 1.0 and 1.0 in losses:
        undamped = losses[1.0][0]
        words += f", and {'diverges' if undamped.mean > LARGE else f'of {undamped.text()}'} undamped"
    return words
