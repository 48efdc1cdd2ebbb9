"""Makes a directory's figures, verdicts on claims and report from its tables, alike for every kind of experiment."""

import hashlib
import json
from collections.abc import Iterator

from analysis import figures
from analysis.figures import circuits
from analysis.figures.finding import finding
from analysis.figures.labels import kind_of_points
from analysis.report import generic, nested, page
from analysis.tables.select import NotMeasured
from lab.config import user_code
from lab.config.base import Base
from lab.config.imported import ROOT
from lab.config.kinds import KINDS
from lab.runs import provenance
from lab.runs.directory import RunDirectory
from lab.runs.hosts import on_first_process

JUDGED_BY = "judged_by"  # the entry of a summary that has been drawn
INSTEAD = "the figure "  # the beginning of a note with the reason why another figure was drawn
# The code that judges and draws.
PARTS = ("figure.py", "figures/*.py", "results.py", "results/*.py")


def present(directory: RunDirectory) -> None:
    """Judge a directory (`judge`), and draw it (`draw`)."""
    judge(directory)
    draw(directory)


@on_first_process
def judge(directory: RunDirectory) -> None:
    """Judge the claims of the figure that the summary names, from the directory's own files.

    The summary gets `claims` and the `answer`, and loses `judged_by`, as it is not drawn yet.
    """
    summary = directory.read_summary()
    summary.pop(JUDGED_BY, None)
    if nested.is_nested(summary):
        summary["points"] |= {name: point.read_summary() for name, point in nested.members(directory).items()}
    notes = [note for note in summary["notes"] if not note.startswith(INSTEAD)]
    summary |= {"drawn": None, "claims": _claims(directory, summary), "notes": notes}
    summary["answer"] = generic.answer(summary)  # a list of runs then need not import their kinds
    directory.write_summary(summary)


@on_first_process
def draw(directory: RunDirectory) -> None:
    """Draw the figure that the summary names, and write the report. The directory must have been judged.

    For a sweep whose points are sweeps, the report is made of the points' files, which must have been presented before.
    The summary gets `drawn` (the figure that was drawn, or None), a note where the figure that it names could not be
    drawn, and `judged_by`, one hash of the code that judges and draws.

    Raises:
        ConfigError: there is no figure of this name.
    """
    summary = directory.read_summary()
    of_sweeps = nested.is_nested(summary)
    summary["drawn"], why = (None, "") if of_sweeps else _draw(directory, summary, finding(summary["claims"]))
    summary["notes"] += [why] if why else []
    directory.write_summary(summary)
    circuits.draw(directory)
    if of_sweeps:
        nested.write(directory)
    else:
        page.write(directory)
    directory.write_summary(summary | {JUDGED_BY: _judges(directory, summary)})


@on_first_process
def is_judged_by_others(directory: RunDirectory) -> bool:
    """Return whether a finished run or sweep was drawn and judged by code other than today's or by unknown code, or was
    not drawn to the end."""
    summary = directory.read_summary()
    return summary.get(JUDGED_BY) != _judges(directory, summary)


def _judges(directory: RunDirectory, summary: dict) -> str:
    """Return one hash of the code that draws and judges: the module for any kind, the parts of the kinds of the points
    and figures, all that these import, and the user's own file.
    """
    summaries = [*_with_points(summary)]
    names, figure_names = ({each.get(key) for each in summaries} for key in ("kind", "figure"))
    folders = {kind.folder for name, kind in KINDS.items() if name in names or figure_names & kind.figures.keys()}
    parts = [path for folder in folders if folder for part in PARTS for path in folder.glob(part)]
    use = str(directory.read_config().get("use") or "")
    roots = (ROOT / "analysis/report/present.py", ROOT / "analysis/figures/points.py", *sorted(parts))
    code = provenance.reached(roots, user_code.imported_file(use))
    return hashlib.sha256(json.dumps(code).encode()).hexdigest()


def _with_points(summary: dict) -> Iterator[dict]:
    yield summary
    for point in (*summary.get("points", {}).values(), *summary.get("unfinished", {}).values()):
        yield from _with_points(point)


def _draw(directory: RunDirectory, summary: dict, title: str) -> tuple[str | None, str]:
    """Draw a figure. Return its name, and the reason if it is not the one named in the summary, else "".

    Args:
        title: the finding of the figure that the summary names; another one gets none.
    """
    wanted, why = summary["figure"], ""
    if not wanted or summary.get("points") == {}:
        return None, ""
    names = [wanted]
    if "points" in summary:  # the figure of a single run may stand for a sweep's
        names = [wanted] if figures.needs_points(wanted) else []
        kind = KINDS.get(kind_of_points(summary))
        names += [kind.schema.SWEEP_FIGURE] if kind else []
        names += [Base.SWEEP_FIGURE]
    for name in dict.fromkeys(names):
        try:
            figures.draw(name, directory, title if name == wanted else "")
        except NotMeasured as error:
            why = why or f"{INSTEAD}{name} could not be drawn: {error}"
        else:
            return name, f"{why}; {name} was drawn instead" if why else ""
    return None, why


def _claims(directory: RunDirectory, summary: dict) -> list[dict]:
    """Return the claims of the figure that the summary names, then those of the points, each with its point's name."""
    wanted, of_points = summary["figure"], "points" in summary
    own = []
    if wanted and not nested.is_nested(summary) and figures.needs_points(wanted) == of_points:
        own = figures.evaluate_claims(wanted, directory, summary.get("failed", {}))
    return own + [
        claim for name in (nested.names(directory) if of_points else ()) for claim in _of_point(summary, name)
    ]


def _of_point(summary: dict, name: str) -> list[dict]:
    if name in summary["points"]:
        claims = summary["points"][name].get("claims", [])
    else:
        figure = summary["unfinished"][name]["figure"]
        claims = figures.unmeasured_claims(figure, summary["failed"][name]) if figure else []
    return [claim | {"point": f"{name}: {claim['point']}" if "point" in claim else name} for claim in claims]
