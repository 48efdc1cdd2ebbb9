"""`report.html` of a run, a sweep or a benchmark: one page, in one file, made of the directory's files alone."""

import base64
import pathlib

import jinja2

from analysis.figures import captions
from lab.config.differences import differences
from lab.runs.directory import RunDirectory


def write(directory: RunDirectory) -> None:
    """Its figures have been drawn, and its summary is whole."""
    page = template("run.html.j2").render(
        summary=directory.read_summary(),
        figures=pictures(directory),
        benchmark=directory.read_table("benchmark") if directory.has_table("benchmark") else [],
        tables=sorted(path.stem for path in directory.path.glob("*.csv")),
        differences=differences(directory.read_config()),
        config=(directory.path / "config.yaml").read_text(encoding="utf-8"),
        environment=directory.read_environment(),
    )
    directory.write_text("report.html", page)


def template(name: str) -> jinja2.Template:
    """One of those beside this file."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent),
        autoescape=jinja2.select_autoescape(["html.j2"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|").replace("\n", " ")
    return environment.get_template(name)


def pictures(directory: RunDirectory) -> dict[str, dict[str, str]]:
    """{stem: `png`, its bytes in base64, and `caption`} of the directory's figures."""
    found = captions(directory)
    return {
        path.stem: {"png": base64.b64encode(path.read_bytes()).decode(), "caption": found[path.stem]}
        for path in (directory.path / "figures" / f"{stem}.png" for stem in found)
    }
