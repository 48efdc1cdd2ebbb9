"""The documentation site: what `make docs` builds from, and where MkDocs is installed what it builds."""

import re
import shutil
import subprocess

import pytest
import yaml

from experiments import site
from lab.config.experiments import experiments
from tests.command_line import ROOT
from tests.documentation import FENCED

MKDOCS = shutil.which("mkdocs") or shutil.which("mkdocs", path=str(ROOT / ".venv" / "bin"))
ELSEWHERE = re.compile(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"?(?:https?:)?//")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    place = tmp_path_factory.mktemp("site") / "source"
    site.assemble(place)
    return place


def configuration():
    class Loader(yaml.SafeLoader):
        """Reads the file without calling what it names."""

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: suffix)
    return yaml.load((ROOT / "mkdocs.yml").read_text(), Loader)


def listed(entry):
    if isinstance(entry, str):
        return [entry]
    return [page for each in (entry if isinstance(entry, list) else entry.values()) for page in listed(each)]


def test_every_page_of_the_menu_is_there_and_every_page_of_docs_in_the_menu(pages):
    menu = listed(configuration()["nav"])
    assert not [page for page in [*menu, *configuration()["extra_css"]] if not (pages / page).exists()]
    written = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert written <= {*menu}


def test_links_of_the_site_lead_somewhere(pages):
    for page in pages.rglob("*.md"):
        for match in site.LINK.finditer(FENCED.sub("", page.read_text(encoding="utf-8"))):
            assert (page.parent / match[1]).exists(), (page, match[0])
            assert (page.parent / match[1]).resolve().is_relative_to(pages.resolve())


def test_every_experiment_has_a_page_with_its_question(pages):
    for name, question in experiments().items():
        text = (pages / "experiments" / f"{name}.md").read_text(encoding="utf-8")
        assert question in text
        assert f"python run.py experiment={name}\n" in text


def test_every_module_of_the_reference_is_there():
    for modules in site.REFERENCE.values():
        for module in modules:
            path = ROOT.joinpath(*module.split("."))
            assert path.with_suffix(".py").exists() or (path / "__init__.py").exists()


@pytest.mark.slow
@pytest.mark.skipif(MKDOCS is None, reason="MkDocs is not installed: make docs")
def test_the_site_is_built_and_loads_nothing_from_elsewhere(pages, tmp_path):
    shutil.copytree(pages, tmp_path / "build" / "site-source")
    text = (ROOT / "mkdocs.yml").read_text().replace("paths: [.]", f"paths: ['{ROOT}']")
    (tmp_path / "mkdocs.yml").write_text(text)
    assert MKDOCS is not None
    done = subprocess.run([MKDOCS, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for page in (tmp_path / "build" / "site").rglob("*.html"):
        assert not ELSEWHERE.search(page.read_text(encoding="utf-8")), page
