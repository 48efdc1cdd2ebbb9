"""The page docs/findings/matrix.html: all claims as squares, by subject and by source, in one file without network.

A square's mark and colour are its verdict; a click shows its number, its criterion and the command of its tables.
"""

import pathlib
from collections.abc import Mapping

from analysis.figures.cited import Work
from analysis.figures.claim import Outcome
from analysis.findings.sources import Claims
from analysis.findings.words import measured, reason
from analysis.report.blocks import repeats
from analysis.report.page import template
from analysis.report.published import MADE_BY
from lab.config.compose import read
from lab.config.experiments import OTHERS, groups
from lab.config.kinds import FILES

MARKS = {  # a verdict is read without colours too
    Outcome.HOLDS: "✓",
    Outcome.DOES_NOT_HOLD: "✗",
    Outcome.NO_DIFFERENCE: "=",
    Outcome.UNDECIDED: "?",
    Outcome.NOT_REACHED: "…",
    Outcome.NOT_MEASURED: "·",
}
LAB = "this lab"  # in the place of a source, of sentences that no source has


def page(claims: Claims, results: pathlib.Path) -> str:
    """Return the page.

    Args:
        claims: {figure: its claims} of all figures.
        results: the folder of the kept tables.
    """
    subjects = subjects_of_figures()
    rows: dict[str, dict[str, list[dict]]] = {subject: {} for subject in (*groups(), OTHERS)}
    for figure, of_figure in claims.items():
        row = rows[subjects.get(figure, OTHERS)]
        for claim in of_figure:
            row.setdefault(claim["work"] or LAB, []).append(_square(figure, claim))
    return template("matrix.html.j2").render(
        rows={subject: row for subject, row in rows.items() if row},
        works=list(Work),
        lab=LAB,
        marks=MARKS,
        commands={figure: _command(results / figure) for figure in claims},
    )


def subjects_of_figures() -> Mapping[str, str]:
    """Return {figure: the group of an experiment that draws it}: as its own, or as that of its name or of its kind."""
    subjects: dict[str, str] = {}
    for subject, names in groups().items():
        for name in names:
            chosen, keys = read(FILES[name])
            for figure in (str(keys.get("figure") or name), chosen.get("kind", name)):
                subjects.setdefault(figure, subject)
    return subjects


def _square(figure: str, claim: dict) -> dict[str, str]:
    """Return the texts of one claim on the page."""
    place = claim["place"] or claim["source"]
    stronger = "; this lab's reading, which says more than the source" if claim["is_stronger"] else ""
    changed = f"; criterion changed: {claim['changed']}" if claim["changed"] else ""
    return {
        "outcome": claim["outcome"],
        "statement": claim["statement"],
        "number": "; ".join(filter(None, (measured(claim), repeats(claim)))),
        "reason": reason(claim),
        "source": f"{claim['work'] or LAB}, {place}{stronger}",
        "criterion": f"{claim['criterion']}{changed}",
        "turns": claim["otherwise"],
        "experiment": figure,
    }


def _command(folder: pathlib.Path) -> str:
    """Return the command that made a figure's kept tables; "" where none are kept."""
    path = folder / MADE_BY
    return path.read_text(encoding="utf-8").splitlines()[0] if path.exists() else ""
