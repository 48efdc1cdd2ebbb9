"""Writes `report.html` and `report.md` of a sweep whose points are experiments of their own, such as all figures of a
paper.

They have the claims of all points with their verdicts, then one section per point. They are made of the points' own
directories, whose figures and tables are copied, so that the sweep's directory can be sent as it is.
"""

import base64
import re

from analysis.report import generic
from analysis.report.page import headline, pictures, settings, template
from analysis.report.sentences import sentence, verdicts
from lab.runs.directory import RunDirectory


def is_nested(summary: dict) -> bool:
    """Return whether a point is a sweep, or a run of another experiment."""
    points = summary.get("points", {}).values()
    return any("points" in point or point["experiment"] != summary["experiment"] for point in points)


def names(directory: RunDirectory) -> list[str]:
    """Return the names of all points, in their order."""
    return [row["point"] for row in directory.read_text_table("points")]


def members(directory: RunDirectory) -> dict[str, RunDirectory]:
    """Return {point: directory} of the points that had numbers when the sweep was gathered and have their files now."""
    gathered = directory.read_summary()["points"]
    return {name: place for name, place in directory.places().items() if name in gathered and place.has_summary}


def write(directory: RunDirectory) -> None:
    """Write the page and the text, and copy the points' files."""
    summary = directory.read_summary()
    runs = {row["point"]: row["run"] for row in directory.read_text_table("points")}
    there = members(directory)
    sections = {name: _section(directory, summary, name, there.get(name), run) for name, run in runs.items()}
    of_points = {note for point in summary["points"].values() for note in point["notes"]}
    filled = {
        "summary": summary,
        "headline": headline(summary),
        "own": summary | {"notes": [note for note in summary["notes"] if note not in of_points], "failed": {}},
        "claims": [claim | {"slug": _slug(claim["point"].split(": ")[0])} for claim in _in_order(summary["claims"])],
        "verdicts": sentence(verdicts(summary["claims"])),
        "sections": sections,
        "seconds": summary["seconds"].get("total", 0.0),
    }
    for kind in ("html", "md"):
        directory.write_text(f"report.{kind}", template(f"nested.{kind}.j2").render(filled))


def _in_order(claims: list[dict]) -> list[dict]:
    """Return first the claims of sources, then the lab's own claims, each group in the order of the points."""
    return sorted(claims, key=lambda claim: not claim.get("work"))


def _section(directory: RunDirectory, summary: dict, name: str, member: RunDirectory | None, run: str) -> dict:
    slug = _slug(name)
    section = {"slug": slug, "failed": summary["failed"].get(name, ""), "summary": None, "headline": ""}
    if member is None:
        return section | {"command": summary["unfinished"].get(name, {}).get("command", "")}
    point = member.read_summary()
    for table in point["tables"]:
        _copy(member, f"{table}.csv", directory, f"{slug}_{table}.csv")
    figures = {_figure(slug, stem): picture for stem, picture in pictures(member, f"{slug}-").items()}
    (directory.path / "figures").mkdir(exist_ok=True)
    for picture in (path for path in (member.path / "figures").iterdir() if path.is_file()):
        _copy(member, f"figures/{picture.name}", directory, f"figures/{_figure(slug, picture.stem)}{picture.suffix}")
    main = (point["tables"] or [""])[0]
    return section | {
        "summary": point,
        "headline": headline(point),
        "answer": generic.answer(point),
        "command": point["command"],
        "figures": figures,
        "blocks": generic.of_points(point) if "points" in point else generic.of_run(point),
        "tables": [f"{slug}_{table}.csv" for table in point["tables"]],
        "csv": base64.b64encode(member.read_bytes(f"{main}.csv")).decode() if main else "",
        "report": f"../{run}/report.html",
        "environment": member.read_environment(),
        "settings": settings(member),
    }


def _copy(member: RunDirectory, source: str, directory: RunDirectory, name: str) -> None:
    with directory.whole(name) as path:
        path.write_bytes(member.read_bytes(source))


def _figure(slug: str, stem: str) -> str:
    """Return the name of a copied figure, different for each point: several points may have a figure `sweep`."""
    return stem if stem == slug else f"{slug}_{stem}"


def _slug(name: str) -> str:
    """Return a point's name in a form that is valid as a file name and as an anchor of the page."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", name)
