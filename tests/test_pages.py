"""What the pages name is there: settings, experiments, learners, and where links lead; the worked examples work."""

import ast
import builtins
import pathlib
import re
import shlex
import sys
from typing import Any

import pytest

from lab.config.experiments import experiments
from lab.config.kinds import KINDS, SCHEMAS
from lab.config.points import point
from lab.learners.roles import ROLES
from tests.command_line import ROOT, TINY, python, ran
from tests.documentation import FENCED, PAGES, TEXTS
from trainers.experiment import check

OWN = ROOT / "docs" / "adding-your-own.md"
PROMISES = ROOT / "docs" / "promises.md"


def keys() -> set[str]:
    """All that can be set of any kind, and the groups."""
    names = {"experiment", "kind", *SCHEMAS}

    def add(schema, prefix=""):
        for name, field in schema.__dataclass_fields__.items():
            names.add(prefix + name)
            if hasattr(field.type, "__dataclass_fields__"):
                add(field.type, f"{prefix}{name}.")

    for kind in KINDS.values():
        add(kind.schema)
    for group, schemas in SCHEMAS.items():
        for schema in schemas.values():
            add(schema, f"{group}.")
    return names


def text_of(page: pathlib.Path) -> str:
    """Without blocks of code."""
    return FENCED.sub("", TEXTS[page])


def test_every_setting_of_the_text_is_there():
    spans = {span for page in PAGES for span in re.findall(r"`([^`\n]+)`", text_of(page))}
    named = {(word, m[1]) for span in spans for word in span.split() if (m := re.match(r"([a-z_.]+)=", word))}
    dotted = {
        (span, span)
        for span in spans
        if re.fullmatch(r"(task|data|train|model|eval|shift|device)\.(?!csv|safetensors)[a-z_]+", span)
    }
    assert len(named) > 20
    known = keys() | {"report", "yes", "sort", "decide", "minutes"}  # yes and sort belong to `runs`, minutes to decide
    assert not {word for word, key in named | dotted if key not in known and not key.startswith("launcher")}
    shown = {value for word, _ in named if (value := word.removeprefix("experiment=")) != word}
    assert shown <= {*experiments(), "NAME"}


def test_every_learner_of_the_lab_is_named_with_its_label():
    text = TEXTS[ROOT / "docs" / "learners.md"]
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    for role in ROLES.values():
        assert any(f"`{role.identifier}`" in row and role.label in row for row in rows), role.identifier


def anchors(page: pathlib.Path) -> set[str]:
    """Those of a page's headings, as they are made for readers: lower case, spaces as hyphens, no other signs."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text(encoding="utf-8")), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)]+)\)", FENCED.sub("", TEXTS[page])):
        if link.startswith("https://"):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file) if file else page
        assert target.exists(), link
        assert target.resolve().is_relative_to(ROOT.resolve()), link
        assert not anchor or anchor in anchors(target), link


def linked(page: pathlib.Path) -> set[pathlib.Path]:
    return {(page.parent / link.partition("#")[0]).resolve() for link in re.findall(r"\]\(([^)]+)\)", TEXTS[page])}


def test_every_page_is_reached_from_the_front():
    """Those of docs/ by one link, and those of docs/findings/ from its contents."""
    front, findings = PAGES[0], ROOT / "docs" / "findings" / "index.md"
    assert {page.resolve() for page in PAGES[1:]} <= linked(front) | linked(findings)


def test_every_promise_stands_on_its_page_and_has_a_test():
    """On one of the pages that stand before its table, word for word but for the ends of lines; in a file of tests that
    has a function of this name."""
    sections = re.split(r"^## ", TEXTS[PROMISES], flags=re.MULTILINE)[1:]
    assert len(sections) == 3
    for section in sections:
        before, *rows = section.split("\n| ")
        pages = [(PROMISES.parent / link).read_text(encoding="utf-8") for link in re.findall(r"\]\(([^)#]+)", before)]
        texts = " ".join(" ".join(page.split()) for page in pages)
        for sentence, tests in (row.rstrip("|\n").rsplit(" | ", 1) for row in rows[1:]):
            assert sentence in texts
            named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", tests)
            assert len(named) == tests.count("::") > 0, tests
            for file, test in named:
                assert re.search(rf"^ *def {test}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), test


def test_the_front_page_is_short():
    assert len(TEXTS[PAGES[0]].splitlines()) < 120


def test_every_experiment_is_named():
    text = " ".join(TEXTS.values())
    assert not [name for name in experiments() if f"`{name}`" not in text]


# The first four are files for use=, and one below the other a file, too; the others are scripts beside that.
BLOCKS = [block for language, block in FENCED.findall(TEXTS[OWN]) if language == "python"]


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("chosen", [[0], [1], [2], [3], [0, 1, 2, 3]], ids=str)
def test_blocks_of_the_page_about_your_own_are_files(chosen, tmp_path):
    """As `use=` imports them: each alone, and all below one another."""
    assert len(BLOCKS) == 6
    (tmp_path / "my_tasks.py").write_text("\n\n".join(BLOCKS[place] for place in chosen))
    words = [["experiment=plain", "task=noisy"], ["experiment=plain", "task=robust"],
             ["experiment=plain", "learners=[shrunk]"], ["kind=rates", "name=rates"]]  # fmt: skip
    for place in chosen:
        check(point([f"use={tmp_path / 'my_tasks.py'}", *words[place]]))


@pytest.mark.parametrize("block", BLOCKS, ids=["task", "loss", "learner", "kind", "look", "one_call"])
def test_blocks_of_the_page_about_your_own_import_what_they_use(block):
    """Every name of a block is made in it, imported in it, or Python's own."""
    nodes = [*ast.walk(ast.parse(block))]
    imports = [name for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for name in node.names]
    imported = {name.asname or name.name for name in imports}
    names = [node for node in nodes if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    made |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    made |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    assert {node.id for node in names} <= imported | made | {*vars(builtins)}


@pytest.mark.slow
@pytest.mark.usefixtures("tables", "drawn_once")
def test_commands_with_a_file_of_your_own(tmp_path, monkeypatch):
    """Those of the page, with the page's own blocks as the file."""
    (tmp_path / "my_tasks.py").write_text("\n\n".join(BLOCKS[:4]))
    lines = [line for language, block in FENCED.findall(TEXTS[OWN]) if language == "sh" for line in block.splitlines()]
    assert len(lines) == 6
    for line in lines:
        words = shlex.split(line, comments=True)[2:]
        assert "use=my_tasks.py" in words
        budget = TINY if "experiment=plain" in words else []
        ran(*words, *([] if "--help" in words else budget), cwd=tmp_path)
    assert list(tmp_path.glob("runs/plain/*/learner_shrunk.npz"))
    assert "There is a best rate." in next(tmp_path.glob("runs/rates/*/report.html")).read_text()
    assert len(list(tmp_path.glob("runs/rates/*/points.csv"))) == 1
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["look.py", "use=my_tasks.py", "experiment=plain", "task=robust", *TINY])
    variables: dict[str, Any] = {}
    exec(BLOCKS[4], variables)
    assert "gradient descent on the task's own loss" in variables["run"].answer
    assert {"gradient_descent", "squared_descent"} <= {row["learner"] for row in variables["rows"]}
    assert variables["answers"].shape == (5, 1, 2)


@pytest.mark.slow
def test_one_call(tmp_path):
    """In a process of its own, as what is registered stays."""
    (tmp_path / "my_tasks.py").write_text("\n\n".join(BLOCKS[:4]))
    (tmp_path / "one_call.py").write_text(BLOCKS[5])
    done = python("one_call.py", cwd=tmp_path, MPLBACKEND="agg")
    loss = {name: float(number) for name, number in re.findall(r"^(\w+) +loss ([\d.]+)", done.stdout, re.MULTILINE)}
    assert loss["shrunk"] < loss["least_squares"]
    assert loss["shrunk"] < 1.02 * loss["ridge"]
    assert "shrunk and ridge: loss difference" in done.stdout
