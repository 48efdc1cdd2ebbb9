"""The command that assembles the source of the documentation site: `make docs` calls it, then MkDocs.

python -m experiments.site build/site-source

The pages are those of docs/ and the texts beside README.md, one page per experiment from its YAML file, a list of the
kept tables, and reference pages of what docs/adding-your-own.md promises. No JAX is needed.
"""

import csv
import pathlib
import re
import shutil
import sys

import experiments
from analysis.report.published import origin
from experiments.costs import costs
from lab.config import kinds
from lab.config.compose import figure_of
from lab.config.experiments import experiments as questions
from lab.config.experiments import groups

ROOT = pathlib.Path(__file__).parent.parent
FRONT = {"README.md": "index.md", "SECURITY.md": "security.md", "CONTRIBUTING.md": "contributing.md"}
FRONT |= {"CHANGELOG.md": "changelog.md"}
LINK = re.compile(r"(?<=\]\()(?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?(?=\))")
REFERENCE = {  # page: the modules whose public names the text promises
    "tasks": ["tasks.task", "tasks.settings", "tasks.catalogue", "tasks.plain"],
    "learners": ["lab.learners.learner", "lab.learners.roles", "lab.layouts.merged"],
    "kinds": ["lab.config.base", "lab.config.kinds", "trainers.study", "trainers.experiment"],
    "figures": [
        "analysis.figures",
        "analysis.figures.claim",
        "analysis.figures.controls",
        "analysis.figures.cited",
        "analysis.figures.evidence",
    ],
    "calls": [
        "experiments.api",
        "experiments.compare",
        "trainers.train",
        "trainers.recipe",
        "analysis.metrics.answers",
        "analysis.metrics.alignment",
    ],
}
TABLES = "kept-tables.md"
FILES = "files"  # the folder of linked files that are no pages


def assemble(place: pathlib.Path) -> None:
    """Write the source of the site into an empty folder."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(ROOT / "docs", place, ignore=shutil.ignore_patterns("*.yaml", "results"))
    for name, page in FRONT.items():
        shutil.copy(ROOT / name, place / page)
    for page in sorted(place.rglob("*.md")):
        name_there = page.relative_to(place)
        origin = {target: name for name, target in FRONT.items()}.get(str(name_there), f"docs/{name_there}")
        page.write_text(
            _relinked(page.read_text(encoding="utf-8"), pathlib.Path(origin), name_there, place), encoding="utf-8"
        )
    (place / TABLES).write_text(tables_page(), encoding="utf-8")
    (place / "experiments").mkdir()
    (place / "experiments" / "index.md").write_text(list_of_experiments(), encoding="utf-8")
    verdicts = _verdicts()
    for name in questions():
        (place / "experiments" / f"{name}.md").write_text(experiment_page(name, verdicts), encoding="utf-8")
    (place / "reference").mkdir()
    for name, modules in REFERENCE.items():
        text = "\n".join([f"# Reference: {name}", "", *(f"::: {module}\n" for module in modules)])
        (place / "reference" / f"{name}.md").write_text(text, encoding="utf-8")


def experiment_page(name: str, verdicts: dict[str, list[tuple[str, str]]]) -> str:
    """Return the page of one experiment: its question, command, cost, what to expect, its file, and its claims.

    Args:
        verdicts: {figure: its (statement, verdict)} of the kept tables.
    """
    lines = kinds.FILES[name].read_text(encoding="utf-8").splitlines()
    head = [line.lstrip("# ") for line in lines[: next(i for i, line in enumerate(lines) if not line.startswith("#"))]]
    question, _, *rest = head
    expected = " ".join(line for line in rest if not line.startswith("Group: ")).removeprefix("Expect: ")
    body = "\n".join(line for line in lines if not line.startswith("#"))
    parts = [f"# `{name}`", "", f"**{question}**", "", "```sh", f"python run.py experiment={name}", "```", ""]
    parts += [f"Time on 2 CPU cores: {costs()[name][1]}.", ""] if name in costs() else []
    parts += [f"What to expect: {expected}", "", "Its file, the differences from the kind's defaults:", ""]
    parts += ["```yaml", body.strip(), "```", "", f"`python run.py experiment={name} --help` lists all keys.", ""]
    figure = figure_of(name)
    if figure in verdicts:
        parts += ["## Claims", "", f"Judged from [kept tables](../results.md#{figure}):", ""]
        parts += [f"- {statement}: {outcome}" for statement, outcome in verdicts[figure]] + [""]
    return "\n".join(parts)


def list_of_experiments() -> str:
    """Return the page that leads to those of all experiments, by group."""
    lines = ["# Experiments", ""]
    for group, names in groups().items():
        lines += [f"## {group}", "", *(f"- [`{name}`]({name}.md): {questions()[name]}" for name in names), ""]
    return "\n".join(lines)


def tables_page() -> str:
    """Return the list of the kept tables, which are in the repository and not on the site."""
    lines = ["# Kept tables", "", "Small tables behind the verdicts, in `docs/results` of the repository.", ""]
    lines += ["| folder | tables | made by |", "|---|---|---|"]
    for folder in sorted(path for path in (ROOT / "docs" / "results").iterdir() if path.is_dir()):
        names = ", ".join(f"`{path.name}`" for path in sorted(folder.glob("*.csv")))
        lines.append(f"| `{folder.name}` | {names} | `{origin(folder)[0]}` |")
    return "\n".join([*lines, ""])


def _verdicts() -> dict[str, list[tuple[str, str]]]:
    verdicts: dict[str, dict[str, str]] = {}
    with open(ROOT / "docs" / "results" / "claims.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            verdicts.setdefault(row["figure"], {})[row["statement"]] = row["verdict"]
    return {figure: list(claims.items()) for figure, claims in verdicts.items()}


def _relinked(text: str, origin: pathlib.Path, name_there: pathlib.Path, place: pathlib.Path) -> str:
    """Return a page whose links lead to where its targets are on the site.

    Args:
        origin: of the page in the repository.
        name_there: of the page in the folder `place`.
    """
    to_top = "../" * (len(name_there.parts) - 1)

    def moved(match: re.Match[str]) -> str:
        target = (ROOT / origin.parent / match[1]).resolve().relative_to(ROOT)
        anchor = match[2] or ""
        if str(target) in FRONT:
            return f"{to_top}{FRONT[str(target)]}{anchor}"
        if target.parts[:2] == ("docs", "results"):
            return f"{to_top}{TABLES}"
        if target.parts[0] == "docs":
            return f"{to_top}{target.relative_to('docs')}{anchor}"
        copy = place / FILES / f"{target}.txt"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / target, copy)
        return f"{to_top}{FILES}/{target}.txt"

    return LINK.sub(moved, text)


if __name__ == "__main__":
    kinds.install(experiments.kinds(), experiments.files())
    assemble(pathlib.Path(sys.argv[1]))
