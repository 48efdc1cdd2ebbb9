"""The page of published verdicts: all numbers of the claims whose tables are kept."""

import collections
import pathlib
from collections.abc import Iterator, Mapping, Sequence

from analysis.figures.claim import Outcome
from analysis.figures.estimates import share_interval
from analysis.figures.labels import learner_label
from analysis.report.blocks import verdict
from lab.runs.directory import RunDirectory

DIGITS = 7
MADE_BY = (
    "made_by.txt"  # in the folder of each figure: the command, and the versions and the processor that it ran with
)
PAGE = """# Verdicts

Claims of the sources and of this lab, judged over seeds from the tables in [{folder}]({folder}/): `claims.csv` has all
numbers with their errors. In a browser [the claims as squares](findings/matrix.html) can be filtered by words and by
verdict.

{verdicts}.

A claim *holds* if the 95% intervals (Student's t over seeds) of all its numbers lie on the right side of their bounds.
It *does not hold* if the interval of one number lies on the wrong side; with several numbers these intervals are wider
(Holm). It makes *no difference* if all undecided numbers are clearly nearer to their bounds than a distance that would
matter. Otherwise it is *undecided*. It is *not reached* if a control fails, since the model had not learned enough or
its loss was still falling. The criterion says whether it is the source's reading, or this lab's, which is stronger than
the source's words, and whether it was changed after the tables were seen. The last column says which number would
change the verdict.
"""
WORDS = {
    Outcome.HOLDS: "hold",
    Outcome.DOES_NOT_HOLD: "do not hold",
    Outcome.NO_DIFFERENCE: "make no difference",
    Outcome.UNDECIDED: "are undecided",
    Outcome.NOT_REACHED: "not reached at this budget",
    Outcome.NOT_MEASURED: "not measured",
}


def page(folder: pathlib.Path, claims: Mapping[str, list[dict]]) -> str:
    """Return the text of the page.

    Args:
        claims: {figure: its claims}; those of figures with tables in `folder` are on the page, all are counted.
    """
    lines = [PAGE.format(folder=folder.name, verdicts=totals(claims))]
    for figure, of_figure in claims.items():
        if not (folder / figure).is_dir():
            continue
        command, *_ = origin(folder / figure)
        lines += [f"## {figure}", "", f"`{command}` ([made by]({folder.name}/{figure}/{MADE_BY}))", ""]
        if of_figure:
            lines += ["| claim | criterion | measured | verdict | what would change it |", "|---|---|---|---|---|"]
            lines += [*map(_row, of_figure), "", *_learned(of_figure)]
        else:
            lines += ["It has no claims; its tables are kept for pages and for other tables.", ""]
        lines += [*_points(RunDirectory(folder / figure)), ""]
    return "\n".join(lines)


def origin(folder: pathlib.Path) -> list[str]:
    """Return the lines on the origin of a figure's kept tables, the command first."""
    return (folder / MADE_BY).read_text(encoding="utf-8").splitlines()


def totals(claims: Mapping[str, list[dict]]) -> str:
    """Return '39 claims: 17 hold, 7 do not hold, ...'."""
    counts = collections.Counter(claim["outcome"] for of_figure in claims.values() for claim in of_figure)
    return f"{counts.total()} claims: " + ", ".join(f"{counts[each]} {text}" for each, text in WORDS.items())


def _row(claim: dict) -> str:
    measured = [f"{name}: {_value(claim, name)}" for name in claim["measured"]]
    if len(measured) > 4:
        ends = (f"{bound(claim['measured'].values()):.4g}" for bound in (min, max))
        measured = [f"{len(measured)} numbers, {' to '.join(ends)}"]
    mark = f"**{verdict(claim)}**" if claim["holds"] is False else verdict(claim)
    criterion = claim["criterion"] + (f" ({claim['reading']})" if claim["reading"] else "")
    criterion += f" **Changed after the run**, {claim['changed']}." if claim["changed"] else ""
    cells = (f"{claim['statement']} ({claim['source']})", criterion, "; ".join(measured), mark)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in (*cells, claim["why"] or claim["otherwise"])) + " |"


def _learned(claims: Sequence[dict]) -> Iterator[str]:
    """Yield a line per number of seeds that met the controls which ask each seed, where these were not all."""
    counts = {(claim["seeds"], claim["seeds_tried"]): None for claim in claims if "seeds_tried" in claim}
    for learned, tried in counts:
        low, high = share_interval(learned, tried)
        share = f"{learned / tried:.2f} of all (95%: {low:.2f} to {high:.2f})"
        yield from (f"Seeds that met the controls which ask each one: {learned} of {tried}, {share}.", "")


def _points(directory: RunDirectory) -> list[str]:
    """Return the lines of a table with the main numbers of each point that is compared with a reference."""
    points = directory.read_table("points") if directory.has_table("points") else []
    rows = [row for row in points if row.get("reference")]
    if not rows:
        return []
    lines = [
        "| point | trained | reference | its loss | cosine of sensitivities | prediction difference |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        point, reference = str(row["point"]), str(row["reference"])
        names = (f"loss.{reference}", f"{reference}.sensitivity_cosine", f"{reference}.prediction_l2")
        trained, *others = (f"{row[name]:.4g} ± {row[f'{name}.stderr']:.2g}" for name in ("loss.transformer", *names))
        lines.append("| " + " | ".join((point, trained, learner_label(reference), *others)) + " |")
    return lines


def _value(claim: dict, name: str) -> str:
    error = claim["errors"].get(name)
    return f"{claim['measured'][name]:.4g}" + (f" ± {error:.2g}" if error else "")


def numbers(claims: dict[str, list[dict]]) -> Iterator[dict]:
    """Yield one row per number of each claim, and one row for a claim without numbers."""
    for figure, of_figure in claims.items():
        for claim in of_figure:
            head = {"figure": figure, "statement": claim["statement"], "verdict": verdict(claim)}
            for name in claim["measured"] or [""]:
                numbers = (claim["measured"].get(name, ""), claim["errors"].get(name, ""))
                value, error = (f"{number:.{DIGITS}g}" if number != "" else "" for number in numbers)
                yield head | {"number": name, "value": value, "stderr": error}
