"""The command that makes docs/explorer.html, where a reader moves the points of a prompt in the plane.

python -m experiments.explorer docs/explorer.html

It writes the circuits of four kept models into the page, and trains nothing.
"""

import pathlib
import sys
from typing import Any

import numpy as np

from analysis.report.page import template
from experiments.api import OpenedRun, load
from lab.learners.construction import constructed
from lab.learners.interpolation import normalised
from lab.learners.linear_transformer import AttentionStack, LinearTransformer

MODELS = {  # {name of a kept model: title}
    "plane_linear": "one linear layer",
    "plane_looped_2": "one linear layer, applied twice",
    "plane_softmax_1": "one softmax head",
    "plane_softmax_2": "two softmax heads",
}
DIGITS = 5  # of a weight on the page


def page() -> str:
    """Return the page."""
    models = {name: of_run(title, load(name)) for name, title in MODELS.items()}
    return template("explorer.html.j2").render(models=rounded(models))


def of_run(title: str, opened: OpenedRun) -> dict[str, Any]:
    """Return a run's entry on the page: the circuits of the trained and of the constructed layers, gradient descent's
    rate and number of steps, and the losses of both on fresh prompts.
    """
    settings: Any = opened.settings  # of a comparison
    trained, numbers = opened.learners()["transformer"], opened.numbers
    rate = numbers["eta"]
    assert isinstance(trained, AttentionStack)
    assert rate is not None
    is_linear = isinstance(trained, LinearTransformer)
    by_hand = layers_of(constructed(trained.shape, rate, settings.task.num_context)) if is_linear else None
    return {
        "title": title,
        "softmax": not is_linear,
        "layers": layers_of(trained),
        "constructed": by_hand,
        "rate": rate,
        "losses": [numbers["loss.transformer"], numbers["loss.gradient_descent"]],
        "steps": trained.shape.num_layers,
    }


def layers_of(model: AttentionStack) -> list[list[dict[str, list]]]:
    """Return {`qk`, `ov`: a matrix (D, D) as lists} of every head of all layers. Circuits of linear layers are
    normalised, so that a point between two models is between their functions (`lab.learners.interpolation`).
    """
    shape = model.shape
    blocks = [block.circuits() for block in model.blocks] * (shape.num_layers // shape.num_blocks)
    if isinstance(model, LinearTransformer):
        blocks = [normalised(circuits, shape.layout) for circuits in blocks]
    return [
        [
            {"qk": np.asarray(qk, float).tolist(), "ov": np.asarray(ov, float).tolist()}
            for qk, ov in zip(circuits.qk, circuits.ov, strict=True)
        ]
        for circuits in blocks
    ]


def rounded(value: Any) -> Any:
    """Return nested dictionaries and lists with all fractions rounded."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, DIGITS) if isinstance(value, float) else value


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(page(), encoding="utf-8")
