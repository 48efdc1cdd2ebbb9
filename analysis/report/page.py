"""`report.html` of a run or of a sweep of runs: one page, in one file, made of the directory's files alone."""

import base64
import contextlib
import pathlib

import jinja2

from analysis.figures import captions
from analysis.report import kinds
from analysis.report.blocks import Number
from lab.config.experiments import experiments
from lab.runs.directory import RunDirectory

SHOWN = 40  # rows, up to which a table is on the page; larger ones are links


def write(directory: RunDirectory) -> None:
    """Its figures have been drawn, and its summary is whole."""
    summary = directory.read_summary()
    runs = {row["point"]: row["run"] for row in directory.read_text_table("points")} if "points" in summary else {}
    page = template("run.html.j2").render(
        summary=summary,
        headline=headline(summary),
        figures=pictures(directory),
        blocks=kinds.of_points(summary) if "points" in summary else kinds.of_run(summary),
        points={
            name: {
                "blocks": kinds.of_run(point),
                "command": point["command"],
                "report": f"../{runs[name]}/report.html",
            }
            for name, point in summary.get("points", {}).items()
        },
        tables={name: _rows(directory, name) for name in summary["tables"]},
        settings=settings(directory),
        config=(directory.path / "config.yaml").read_text(encoding="utf-8"),
        environment=directory.read_environment(),
    )
    directory.write_text("report.html", page)


def headline(summary: dict) -> str:
    """What the experiment shows, in the words of its file; nothing for one that has no file."""
    return experiments().get(summary["experiment"], "")


def settings(directory: RunDirectory) -> dict[str, str]:
    """{key: value} of the settings that are not the defaults."""
    return directory.read_summary()["settings"]


def template(name: str) -> jinja2.Template:
    """One of those beside this file."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent),
        autoescape=jinja2.select_autoescape(["html.j2"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "cell": lambda text: str(text).replace("|", "\\|").replace("\n", " "),
        "shown": lambda cell: cell.text(5) if isinstance(cell, Number) else cell,
        "short": _short,
    }
    return environment.get_template(name)


def pictures(directory: RunDirectory) -> dict[str, dict[str, str]]:
    """{stem: `png`, its bytes in base64, and `caption`} of the directory's figures."""
    folder = directory.path / "figures"
    return {
        stem: {"png": base64.b64encode((folder / f"{stem}.png").read_bytes()).decode(), "caption": caption}
        for stem, caption in captions(directory).items()
    }


def _rows(directory: RunDirectory, name: str) -> list[dict[str, str]]:
    """Those of a table that is small enough for the page."""
    rows = directory.read_text_table(name)
    return rows if len(rows) <= SHOWN else []


def _short(text: str) -> str:
    """A cell of a table with five digits, if it is a number with a point."""
    if "." in text or "e" in text:
        with contextlib.suppress(ValueError):
            return f"{float(text):.5g}"
    return text
