"""`report.html`: one page, in one file: tables, figures, configuration and environment of a run."""

import base64
import json
import pathlib

import jinja2

from lab.run_directory import RunDirectory

TEMPLATE = pathlib.Path(__file__).with_name("report.html.j2")


def write_report(directory: RunDirectory) -> None:
    """Made of the directory's files alone."""
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        TEMPLATE.read_text(encoding="utf-8")
    )
    figures = {
        path.stem: base64.b64encode(path.read_bytes()).decode()
        for path in sorted((directory.path / "figures").glob("*.png"))
    }
    page = template.render(
        summary=directory.read_summary(),
        runs={name: part.read_summary() for name, part in directory.parts().items()},
        figures=figures,
        config=(directory.path / "config.yaml").read_text(encoding="utf-8"),
        environment=json.dumps(directory.read_environment(), indent=2),
    )
    directory.write_text("report.html", page)
