"""`report.html`: one page, in one file: tables, figures, configuration and environment of a run."""

import base64
import json
import pathlib

import jinja2

from lab.choices import Figure
from lab.run_directory import RunDirectory

TEMPLATE = pathlib.Path(__file__).with_name("report.html.j2")


CAPTIONS = {  # what a figure shows, in words
    Figure.training: "losses, and the trained Transformer's alignment with gradient descent, against the training step",
    Figure.sweep: "losses, and the trained Transformer's alignment with gradient descent, against a setting",
    Figure.fig1: "losses, and the trained Transformer's alignment with gradient descent, against the training step",
    Figure.fig2: "losses against the number of documents and against the scale of the test inputs",
    Figure.fig3: "differences between the trained Transformer and gradient descent against the training step",
    Figure.fig5: "differences between the trained Transformer and gradient descent against the training step",
    Figure.fig4: "the trained Transformer's differences from gradient descent on learned features, against the step",
    Figure.fig6: "the trained Transformer's differences from gradient descent on learned features, against the step",
    Figure.tabular: "losses on test rows, and alignment with gradient descent on learned features, against the step",
    Figure.depth: "losses against the layer, and alignment with gradient descent and GD++ against the training step",
    Figure.rag_retrieve: "losses against the number of documents, for three ways of injection",
    Figure.shift: "losses under other test distributions than that of training",
    Figure.benchmark: "training steps per second against one setting at a time, below what the measured ceilings allow",
}


def write_report(which: Figure, directory: RunDirectory) -> None:
    """Made of the directory's files alone; `which` is the figure that was drawn."""
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        TEMPLATE.read_text(encoding="utf-8")
    )
    figures = {
        path.stem: base64.b64encode(path.read_bytes()).decode()
        for path in sorted((directory.path / "figures").glob("*.png"))
    }
    page = template.render(
        summary=directory.read_summary(),
        figures=figures,
        caption=CAPTIONS[which],
        benchmark=directory.read_table("benchmark") if directory.has_table("benchmark") else [],
        config=(directory.path / "config.yaml").read_text(encoding="utf-8"),
        environment=json.dumps(directory.read_environment(), indent=2),
    )
    directory.write_text("report.html", page)
