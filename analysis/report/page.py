"""Writes `report.html` of a run or of a sweep of runs: one page in one file, made of the directory's files alone."""

import contextlib
import functools
import pathlib

import jinja2
import markupsafe

from analysis.figures import captions
from analysis.figures.labels import kind_of_points, registered
from analysis.figures.narrow import NARROW
from analysis.report import generic, inline
from analysis.report.blocks import Cell, Label, Number, plain
from analysis.report.sentences import own_claims, sentence, verdicts
from lab.config.base import Base
from lab.config.experiments import experiments
from lab.config.help import meanings
from lab.config.kinds import KINDS
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

SHOWN = 40  # most rows of a table on the page, which links to larger ones


def write(directory: RunDirectory) -> None:
    """Write the page of a directory whose figures have been drawn and whose summary is complete."""
    summary = directory.read_summary()
    runs = {row["point"]: row["run"] for row in directory.read_text_table("points")} if "points" in summary else {}
    figures = pictures(directory)
    main = {stem: figures.pop(stem) for stem in [*figures] if stem == summary.get("drawn")}
    page = template("run.html.j2").render(
        summary=summary,
        headline=headline(summary),
        answer=generic.answer(summary),
        sure=how_sure(directory, summary),
        judged=sentence(verdicts(own_claims(summary))),
        legend=_legend(directory, summary),
        figures={"main": main, "inside": figures},  # of the experiment, and of the trained model's parts
        blocks=generic.of_points(summary) if "points" in summary else generic.of_run(summary),
        points={
            name: {
                "answer": generic.answer(point),
                "blocks": generic.of_run(point),
                "command": point["command"],
                "report": f"../{runs[name]}/report.html",
            }
            for name, point in summary.get("points", {}).items()
        },
        tables={name: _rows(directory, name) for name in summary["tables"]},
        settings=settings(directory),
        labelled=functools.partial(labelled, summary),
        config=directory.read_text("config.yaml"),
        environment=directory.read_environment(),
    )
    directory.write_text("report.html", page)


def headline(summary: dict) -> str:
    """Return the experiment's question, the first comment of its file; "" for an experiment without a file."""
    return experiments().get(summary["experiment"], "")


def settings(directory: RunDirectory) -> list[tuple[str | Label, str]]:
    """Return (key, value) of the settings that are not the defaults; keys with their sentences."""
    summary = directory.read_summary()
    return [*zip(labelled(summary, [*summary["settings"]]), summary["settings"].values(), strict=True)]


def labelled(summary: dict, names: list[str]) -> list[str | Label]:
    """Return the names of settings and of headline numbers, or columns, each with its sentence if it has one.

    Args:
        summary: the summary of their run or sweep.
    """
    kind = summary.get("kind") or kind_of_points(summary)
    keys = meanings(KINDS[kind].schema, summary["settings"]) if kind in KINDS else {}
    labels = []
    for name in names:
        number = registered(kind, name)
        sentence = keys.get(name) or (number.sentence if number else "")
        labels.append(Label(name, sentence) if sentence else name)
    return labels


def template(name: str) -> jinja2.Template:
    """Return the template of this name, from the folder of this file."""
    return _environment().get_template(name)


@functools.cache
def _environment() -> jinja2.Environment:
    """Return one environment for all reports, as it keeps compiled templates: compiling takes longer than rendering."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent),
        autoescape=jinja2.select_autoescape(["html.j2"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "cell": lambda text: str(text).replace("|", "\\|").replace("\n", " "),
        "shown": _shown,
        "plain": _plain,
        "short": _short,
    }
    return environment


def pictures(directory: RunDirectory, prefix: str = "") -> dict[str, dict[str, str]]:
    """Return the directory's figures by their stem.

    Args:
        prefix: the prefix of ids in the figures, for a page with figures of several directories.

    Returns:
        {stem: {`wide` and `narrow`: the figure for wide and for narrow screens as HTML ("" for none); `caption`: the
        first sentence of the caption; `details`: the rest}}.
    """
    figures = {}
    for stem, text in captions(directory).items():
        first, _, rest = text.partition(". ")
        caption = first.rstrip(".") + "."
        forms = {
            form: inline.picture(directory, f"{stem}{end}", f"{prefix}{stem}{end}", f"{stem}: {caption}")
            for form, end in (("wide", ""), ("narrow", NARROW))
        }
        figures[stem] = forms | {"caption": caption, "details": rest}
    return figures


def how_sure(directory: RunDirectory, summary: dict) -> str:
    """Return a sentence about the errors on the page: over seeds or, for a single seed, over its test data; "" without
    errors.
    """
    if "numbers" in summary and not any(name.endswith(".stderr") for name in summary["numbers"]):
        return ""
    config = directory.read_config()
    seeds, kind = config.get("seeds", 0), KINDS.get(summary.get("kind", ""))
    of_one_seed, shared = kind.schema.ERRORS if kind else Base.ERRORS
    if seeds > 1:
        rest = f", and {shared}" if shared and config.get("data") else ""
        return f"Errors (±) are standard errors over {seeds} seeds{rest}."
    why = "; claims need several (seeds=5)" if summary["claims"] else ""
    return f"Errors (±) are standard errors of one seed, {of_one_seed}{why}." if seeds else ""


def _legend(directory: RunDirectory, summary: dict) -> dict[str, str]:
    """Return {label: a sentence that describes the learner} for the learners of a comparison."""
    runs = summary["points"].values() if "points" in summary else [summary]
    names = dict.fromkeys(name for run in runs for name in run.get("learners", {}))
    return {ROLES[name].label: ROLES[name].sentence for name in names if name in ROLES}


def _rows(directory: RunDirectory, name: str) -> list[dict[str, str]]:
    """Return the rows of a table; [] if it is too large for the page."""
    rows = directory.read_text_table(name)
    return rows if len(rows) <= SHOWN else []


def _shown(cell: Cell) -> str:
    """Return a cell as HTML, a label with its description."""
    if isinstance(cell, Label):
        return markupsafe.Markup('<span title="{}">{}</span>').format(cell.description, cell.text)
    return _plain(cell)


def _plain(cell: Cell) -> str:
    """Return a cell as text."""
    if isinstance(cell, Number):
        return cell.text(5)
    return plain(cell)


def _short(text: str) -> str:
    """Return a cell of a table with five digits, if it is a number with a decimal point or an exponent."""
    if "." in text or "e" in text:
        with contextlib.suppress(ValueError):
            return f"{float(text):.5g}"
    return text
