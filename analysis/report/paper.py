"""The report of a paper, `report.html` and `report.md`: its claims with their verdicts, then a section an experiment.

It is made of the experiments' own directories, which the paper's summary names; tables and figures are copied, so that
the directory can be sent as it is.
"""

import base64
import shutil

from analysis import claims
from analysis.report.page import pictures, template
from lab.config.choices import Figure
from lab.config.differences import differences
from lab.config.experiments import experiments
from lab.runs.directory import RunDirectory


def members(directory: RunDirectory) -> dict[str, RunDirectory]:
    """{experiment: its directory, which need not have a summary}."""
    root = directory.path.parent.parent
    return {name: RunDirectory(root / of["run"]) for name, of in directory.read_summary()["experiments"].items()}


def write(directory: RunDirectory) -> None:
    """The page, the text, the claims of all experiments in the summary, and the copies."""
    found = {name: _section(directory, name, of) for name, of in members(directory).items()}
    summary = directory.read_summary()
    summary["claims"] = [claim | {"experiment": name} for name, of in found.items() for claim in of["claims"]]
    summary["seconds"] = {"total": sum(of["summary"]["seconds"]["total"] for of in found.values() if of["summary"])}
    directory.write_summary(summary)
    verdicts = [claim["holds"] for claim in summary["claims"] if claim["holds"] is not None]
    filled = {
        "summary": summary,
        "experiments": found,
        "held": verdicts.count(True),
        "judged": len(verdicts),
        "seconds": summary["seconds"]["total"],
    }
    for kind in ("html", "md"):
        directory.write_text(f"report.{kind}", template(f"paper.{kind}.j2").render(filled))


def _section(directory: RunDirectory, name: str, member: RunDirectory) -> dict:
    of = directory.read_summary()["experiments"][name] | {"headline": experiments()[name]}
    if not member.has_summary:
        why = of["failed"] or {"": f"there is nothing at {of['run']}"}
        return of | {"failed": why, "summary": None, "claims": claims.unmeasured(Figure[of["figure"]], why)}
    summary = member.read_summary()
    table = member.path / f"{'points' if 'points' in summary else 'learners'}.csv"
    shutil.copyfile(table, directory.path / f"{name}.csv")
    figures = {_name(name, stem): picture for stem, picture in pictures(member).items()}
    for picture in (member.path / "figures").iterdir():
        shutil.copyfile(picture, directory.path / "figures" / f"{_name(name, picture.stem)}{picture.suffix}")
    return of | {
        "summary": summary,
        "claims": summary.get("claims", []),
        "figures": figures,
        "csv": base64.b64encode(table.read_bytes()).decode(),
        "environment": member.read_environment(),
        "differences": differences(member.read_config()),
    }


def _name(experiment: str, stem: str) -> str:
    """Of a copied figure: several experiments may have one that is called `sweep`."""
    return stem if stem == experiment else f"{experiment}_{stem}"
