"""What the pages name is there: settings, experiments, and where links lead; the worked example works."""

import pathlib
import re

import pytest

from lab.config.comparison import DATA, TASKS, Config
from lab.config.experiments import experiments
from tests.command_line import ROOT
from tests.documentation import FENCED, PAGES, TEXTS


def keys() -> set[str]:
    """All that can be set, and the groups."""
    found = {"experiment", "task", "data"}

    def add(schema, prefix=""):
        for name, field in schema.__dataclass_fields__.items():
            found.add(prefix + name)
            if hasattr(field.type, "__dataclass_fields__"):
                add(field.type, f"{prefix}{name}.")

    add(Config)
    for group, schemas in (("task", TASKS), ("data", DATA)):
        for schema in schemas.values():
            add(schema, f"{group}.")
    return found


def test_every_setting_of_the_text_is_there():
    spans = {span for text in TEXTS.values() for span in re.findall(r"`([^`\n]+)`", FENCED.sub("", text))}
    named = {(word, m[1]) for span in spans for word in span.split() if (m := re.match(r"([a-z_.]+)=", word))}
    dotted = {
        (span, span)
        for span in spans
        if re.fullmatch(r"(task|data|train|model|eval|shift|device)\.(?!csv)[a-z_]+", span)
    }
    assert len(named) > 20
    known = keys() | {"report"}
    assert not {word for word, key in named | dotted if key not in known and not key.startswith("hydra")}
    of = {value for word, _ in named if (value := word.removeprefix("experiment=")) != word}
    assert of <= {*experiments(), "NAME"}


def anchors(page: pathlib.Path) -> set[str]:
    """Those of a page's headings, as they are made for readers: lower case, spaces as hyphens, no other signs."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text(encoding="utf-8")), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)]+)\)", TEXTS[page]):
        if link.startswith("https://"):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file) if file else page
        assert target.exists(), link
        assert target.resolve().is_relative_to(ROOT.resolve()), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_reached_from_the_front():
    linked = {(ROOT / link.partition("#")[0]).resolve() for link in re.findall(r"\]\(([^)]+)\)", TEXTS[PAGES[0]])}
    assert {page.resolve() for page in PAGES[1:]} <= linked


def test_every_experiment_is_named():
    text = " ".join(TEXTS.values())
    assert not [name for name in experiments() if f"`{name}`" not in text]


def test_worked_example(capsys):
    blocks = [
        block for language, block in FENCED.findall(TEXTS[ROOT / "docs" / "adding-your-own.md"]) if language == "python"
    ]
    assert len(blocks) == 3
    namespace = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, "adding-your-own.md", "exec"), namespace)
    loss = {name: float(of["mean"]) for name, of in namespace["seen"]["loss"].items()}
    assert loss["ridge"] < loss["shrunk"] < loss["least_squares"]
    assert 0 < float(namespace["state"].learner.factor[...]) < 1
    assert len(capsys.readouterr().out.splitlines()) == 3
