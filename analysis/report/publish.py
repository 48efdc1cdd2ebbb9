"""The tables behind published verdicts, kept small, and the page that shows them.

    python -m experiments.publish docs/results runs/paper_full/HASH
    python -m experiments.publish docs/results

The first copies, from each figure's sweep, the tables by which its claims are judged, with seven significant digits.
Both judge the claims from these copies, and write their numbers and verdicts into claims.csv and the page
docs/results.md beside the folder. No JAX is needed.
"""

import collections
import pathlib
import re
from collections.abc import Iterator

from analysis import figures
from analysis.figures.claim import Outcome
from analysis.figures.words import learner_label
from analysis.report import nested
from analysis.report.blocks import verdict
from lab.runs.directory import RunDirectory
from lab.runs.own_files import WRITTEN

TABLES = ("points", "seeds", "clusters", "curves", "inputs", "cost")
DIGITS = 7
PAGE = """# Verdicts

Claims of the sources and of this lab, judged over seeds from the tables in [{folder}]({folder}/): `claims.csv` has all
numbers with their errors. {verdicts}. A claim holds if all of its numbers are clearly (95%, Student's t over seeds)
on the right side of their bounds, and does not hold if one is clearly on the wrong side, by intervals that are wider
the more numbers there are (Holm). Where it is neither it is undecided; where a control fails, since nothing was learned
or training was still under way, it is not reached at this budget. The criterion says whose reading it is: the source's,
or this lab's where it is stronger than the source's words. The last column says which number would turn the verdict.

The run: `{command}`
"""


def publish(directory: RunDirectory, folder: pathlib.Path) -> None:
    """Write the tables, the claims and the page, for all points of a sweep of sweeps.

    Args:
        directory: the sweep's directory.
        folder: receives the copies; the page is written beside it, as FOLDER.md.
    """
    for name, member in nested.members(directory).items():
        copy = RunDirectory(folder / name)
        copy.path.mkdir(parents=True, exist_ok=True)
        for table in TABLES:
            if member.has_table(table):
                copy.write_table(table, [_short(row) for row in member.read_text_table(table)])
    command = re.sub(r"data\.dir=\S+", "data.dir=DIRECTORY", directory.read_summary()["command"])
    (folder / "command.txt").write_text(f"{command}\n", encoding="utf-8")
    write_verdicts(folder)
    for names in folder.rglob(WRITTEN):  # the lists of own files that a run's directory has; these are copies
        names.unlink()


def write_verdicts(folder: pathlib.Path) -> None:
    """Judge the claims by the kept tables, and write claims.csv and the page. Twice gives the same bytes."""
    claims = judged(folder)
    RunDirectory(folder).write_table("claims", list(numbers(claims)))
    folder.with_suffix(".md").write_text(page(folder, claims), encoding="utf-8")
    for names in folder.rglob(WRITTEN):
        names.unlink()


def judged(folder: pathlib.Path) -> dict[str, list[dict]]:
    """Return {figure: its claims with their verdicts}, judged from the copies, in the order of the figures."""
    there = [name for name in figures.names() if (folder / name).is_dir()]
    return {name: figures.evaluate_claims(name, RunDirectory(folder / name), {}) for name in there}


def page(folder: pathlib.Path, claims: dict[str, list[dict]]) -> str:
    """Return the text of the page."""
    everything = [claim for of_figure in claims.values() for claim in of_figure]
    counts = collections.Counter(claim["outcome"] for claim in everything)
    words = {Outcome.HOLDS: "hold", Outcome.DOES_NOT_HOLD: "do not hold", Outcome.UNDECIDED: "are undecided"}
    words |= {Outcome.NOT_REACHED: "not reached at this budget", Outcome.NOT_MEASURED: "not measured"}
    totals = f"{len(everything)} claims: " + ", ".join(f"{counts[each]} {text}" for each, text in words.items())
    command = (folder / "command.txt").read_text(encoding="utf-8").strip()
    lines = [PAGE.format(folder=folder.name, verdicts=totals, command=command)]
    for figure, of_figure in claims.items():
        lines += [f"## {figure}", "", "| claim | criterion | measured | verdict | what would turn it |"]
        lines += ["|---|---|---|---|---|", *map(_row, of_figure), "", *_points(RunDirectory(folder / figure)), ""]
    return "\n".join(lines)


def _row(claim: dict) -> str:
    measured = [f"{name}: {_value(claim, name)}" for name in claim["measured"]]
    if len(measured) > 4:
        ends = (f"{bound(claim['measured'].values()):.4g}" for bound in (min, max))
        measured = [f"{len(measured)} numbers, {' to '.join(ends)}"]
    mark = f"**{verdict(claim)}**" if claim["holds"] is False else verdict(claim)
    criterion = claim["criterion"] + (f" ({claim['reading']})" if claim["reading"] else "")
    cells = (f"{claim['statement']} ({claim['source']})", criterion, "; ".join(measured), mark)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in (*cells, claim["why"] or claim["otherwise"])) + " |"


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


def _short(row: dict[str, str]) -> dict[str, str]:
    """Return a row with seven significant digits, and without the column of the run's directory."""
    return {key: _rounded(text) for key, text in row.items() if key != "run"}


def _rounded(text: str) -> str:
    try:
        return f"{float(text):.{DIGITS}g}" if any(mark in text for mark in ".e") else text
    except ValueError:
        return text
