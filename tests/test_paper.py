"""A paper on a tiny budget, and reports that are drawn again."""

import json
import re
import shutil
import subprocess
import sys

import pytest
from lab.config.paper import command_lines

from lab.config.compose import compose, register
from lab.config.multirun import commands
from lab.errors import UserError
from tests.command_line import ENVIRONMENT, ROOT, TINY, lab
from tests.page import check_page

register()
WITHOUT_FILES = {"LAB_DATA_DIR": "", "XDG_CACHE_HOME": "/nowhere"}
TWO_FIGURES = ["experiment=paper", *(f"~paper.quick.fig{n}" for n in (2, 3, 4, 5))]


def lines_of(*words):
    return command_lines(compose(["experiment=paper", *words]), ["experiment=paper", *words])


def test_a_paper_is_a_command_line_for_each_figure():
    lines = lines_of("seed=3", "data.dir=here", "train.steps=7", "run.dir=there")
    assert list(lines) == [f"fig{n}" for n in range(1, 7)]
    for name, line in lines.items():
        config = compose(line)
        assert (config.name, config.seed, config.train.steps, config.run.dir) == (name, 3, 7, "there")
        assert sum(word.startswith("train.steps=") for word in line) == 1, "the command line's word, not the profile's"
        assert ("data.dir=here" in line) == (name in ("fig4", "fig6"))


def test_profiles():
    quick, full = (lines_of(f"paper.profile={profile}") for profile in ("quick", "full"))
    for name in quick:
        one, other = compose(quick[name]), compose(full[name])
        assert one.population.seeds == 1
        assert other.population.seeds == 5
        alone = compose([f"experiment={name}"]).train.steps
        assert one.train.steps < alone < other.train.steps or (name in ("fig4", "fig6") and one.train.steps == alone)


def test_a_paper_of_an_unknown_experiment_is_one_line():
    with pytest.raises(UserError, match=r"paper\.quick: no such experiment: fig7; allowed: .*fig1"):
        lines_of("+paper.quick.fig7=[]")
    for name in ("benchmark", "paper"):
        with pytest.raises(UserError, match=f"{name} trains no learners"):
            lines_of(f"+paper.quick.{name}=[]")
    with pytest.raises(UserError, match="parts, a grid"):
        compose(["experiment=paper", 'grid=["seed=1,2"]'])


def test_a_launcher_gets_every_program_of_a_paper():
    found = commands(["-m", *TWO_FIGURES, "hydra/launcher=joblib"])
    assert [words[0] == "-m" for words in found] == [True, True, False]
    assert "experiment=fig1" in found[0]
    assert "experiment=fig6" in found[1]
    assert found[-1] == TWO_FIGURES
    assert commands(["-m", *TWO_FIGURES, "run.force=true", "hydra/launcher=joblib"])[-1] == TWO_FIGURES, "not twice"


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """Figure 1, and figure 6 whose files are not there."""
    path = tmp_path_factory.mktemp("paper")
    done = lab(*TWO_FIGURES, *TINY, cwd=path, **WITHOUT_FILES)
    (directory,) = path.glob("runs/paper/*")
    return done, directory


@pytest.mark.slow
def test_a_paper_has_a_verdict_or_a_reason_for_every_claim(paper):
    done, directory = paper
    assert done.returncode == 1
    assert done.stderr.endswith("error: fig6 did not finish, what did is kept; the report says why\n")
    assert not (directory / "DONE").exists()
    summary = json.loads((directory / "summary.json").read_text())
    of = {name: [claim for claim in summary["claims"] if claim["point"] == name] for name in ("fig1", "fig6")}
    assert all(claim["measured"] and claim["holds"] in (True, False) for claim in of["fig1"])
    for claim in of["fig6"]:
        assert claim["holds"] is None
        table = claim["statement"].split(":")[0]
        assert {"Calories": "calories/exercise.csv", "Wine": "winequality-white.csv"}[table] in claim["why"]
        assert "get it from https://" in claim["why"]
        assert "data.dir=DIRECTORY" in claim["why"]
    check_page(directory / "report.html")
    page, text = ((directory / f"report.{kind}").read_text() for kind in ("html", "md"))
    for claim in summary["claims"]:
        assert claim["statement"] in text
    assert "Quick profile" in page
    assert "Quick profile" in text
    points = json.loads(next(directory.parent.parent.glob("fig1/*/points.csv")).with_name("summary.json").read_text())
    for point in points["points"].values():
        assert f"{point['learners']['transformer']['loss']['mean']:.5f}" in text
    for link in re.findall(r"\]\(([^)]*)\)", text):
        assert (directory / link).exists()


@pytest.mark.slow
def test_figures_and_reports_are_drawn_again_from_tables_alone(paper):
    _, directory = paper
    runs = directory.parent.parent
    made = [
        path for path in runs.rglob("*") if path.is_file() and path.suffix in (".png", ".pdf", ".html", ".md", ".json")
    ]
    before = {path: path.read_bytes() for path in made}
    for path in made:
        if path.suffix != ".json":
            path.unlink()
    words = [f"report={directory.relative_to(runs.parent)},runs/fig1/*"]
    code = f"import sys; sys.argv = ['run.py', {words[0]!r}]; import run; run.main(); sys.exit('jax' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=runs.parent,
        env=ENVIRONMENT | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("report.html") == 1 + len(list(runs.glob("fig1/*")))
    assert {path: path.read_bytes() for path in made if path.exists()} == before

    inside = lab(f"report={directory.name}", cwd=directory.parent)
    assert inside.returncode == 0, inside.stderr
    sent = directory.parent.parent.parent / "sent" / "to" / "somebody"
    shutil.copytree(directory, sent)
    alone = lab(f"report={sent}", cwd=runs.parent)
    assert alone.returncode == 1
    assert "are not where points.csv says" in alone.stderr
    for path in (directory, sent):
        assert (path / "report.html").read_bytes() == before[directory / "report.html"]


def test_a_report_of_nothing_is_one_line(tmp_path):
    (tmp_path / "unfinished").mkdir()
    (tmp_path / "unfinished" / "config.yaml").touch()
    for word, why in (("report=nowhere", "no run's directory"), ("report=unfinished", "not come to its end")):
        done = lab(word, cwd=tmp_path)
        assert done.returncode == 1
        assert why in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium here")
def test_a_browser_shows_the_report_without_a_word(paper, tmp_path):
    _, directory = paper
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    where = [f"--user-data-dir={tmp_path}", "--enable-logging=stderr", "--dump-dom", str(directory / "report.html")]
    done = subprocess.run(["chromium", *quiet, *where], capture_output=True, text=True, check=False, timeout=120)
    assert '<th scope="col"><button type="button">' in done.stdout, "the script ran: tables sort"
    assert "CONSOLE" not in done.stderr
