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
from analysis.report.published import origin
from lab.config.compose import figure_of, read
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
        commands={figure: origin(results / figure)[0] for figure in claims if (results / figure).is_dir()},
    )


def subjects_of_figures() -> Mapping[str, str]:
    """Return {figure: the group of an experiment that draws it}, which its file, its name or its kind says."""
    subjects: dict[str, str] = {}
    for subject, names in groups().items():
        for name in names:
            kind = read(FILES[name])[0].get("kind", name)
            for figure in (figure_of(name), kind):
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
