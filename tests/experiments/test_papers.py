"""The experiments of the sources: each runs what the source's page says, in full and with `size=quick`."""

import json

import pytest

from analysis.findings import sources
from lab.config.compose import compose
from lab.config.identity import config_hash
from lab.config.kinds import FILES, figure_of
from lab.config.points import point, walk
from tests.command_line import ROOT, ran
from trainers.experiment import check

PAPERS = sorted(name for name, file in FILES.items() if file.parent.name == "papers")
SOURCES = {source.experiment: source for source in sources.read(ROOT / "docs" / "findings")}


def figures(name: str, *words: str) -> set[str]:
    """Return the names of the figures that an experiment draws, those of its parts for the sweep of a source."""
    drawn = set()
    for each in walk(point([f"experiment={name}", *words])):
        drawn.add(figure_of(each.settings))
    return drawn


def test_every_source_has_an_experiment():
    assert {*SOURCES} | {"everything"} == {*PAPERS}
    parts = compose(["experiment=everything"]).parts
    assert [*parts] == [*SOURCES]


@pytest.mark.parametrize("name", SOURCES)
def test_it_runs_what_its_page_tells_of(name):
    """Every figure whose claims of this lab are on the page is drawn, but for logs and models to be downloaded."""
    downloaded = {"recommend_log", "dti_log", "dti_smollm2", "decoder", "language_examples", "language_recommend"}
    assert {*SOURCES[name].own} - downloaded <= figures(name)


@pytest.mark.parametrize("name", PAPERS)
def test_the_quick_profile_can_be_run(name, tmp_path):
    words = [f"experiment={name}", "size=quick", f"run.dir={tmp_path}"]
    quick = point(words)
    for each in walk(quick):
        check(each)
    assert {run.settings.seed for run in quick.runs} == {0}, "seeds that recipes were chosen on: a look, and no verdict"


@pytest.mark.parametrize("name", PAPERS)
def test_the_full_profile_is_another_run(name):
    quick, full = (compose([f"experiment={name}", *size]) for size in (["size=quick"], []))
    assert config_hash(quick) != config_hash(full)
    assert {*quick.parts} <= {*full.parts}


def test_words_go_to_the_parts_of_parts():
    everything = point(["experiment=everything", "size=quick", "seed=3", "run.dir=there"])
    assert {run.settings.seed for run in everything.runs} == {3}
    assert {run.settings.run.dir for run in everything.runs} == {"there"}


@pytest.mark.slow
@pytest.mark.usefixtures("drawn_once")
def test_a_report_of_reports_has_a_reason_for_every_claim(tmp_path):
    """Of two sources a part that takes seconds, which is the same: sweeps of sweeps of one run."""
    others = [name for name in compose(["experiment=lrgd", "size=quick"]).parts if name != "dual_form"]
    short = ["experiment=lrgd", "size=quick", *(f"~parts.{name}" for name in others)]
    listed = ",".join(f"'{word}'" for word in short)
    kept = ("lrgd", "dai")
    words = ["experiment=everything", "size=quick", *(f"parts.{name}=[{listed}]" for name in kept)]
    words += [f"~parts.{name}" for name in SOURCES if name not in kept]
    ran(*words, cwd=tmp_path)
    (directory,) = tmp_path.glob("runs/everything/*")
    summary = json.loads((directory / "summary.json").read_text())
    assert {claim["point"] for claim in summary["claims"]} == {"lrgd: dual_form", "dai: dual_form"}
    assert all(claim["why"] or claim["outcome"] in ("holds", "does not hold") for claim in summary["claims"])
    for name in ("everything", "lrgd"):
        (report,) = tmp_path.glob(f"runs/{name}/*/report.md")
        assert "Softmax attention is one step" in report.read_text()
    assert len([*tmp_path.glob("runs/dual_form/*/DONE")]) == 1, "what two sources share is run once"
