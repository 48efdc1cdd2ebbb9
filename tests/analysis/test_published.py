"""The published verdicts: each is that of the tables beside it, and tables with something swapped have others."""

import csv
import dataclasses
import json
from types import SimpleNamespace

import pytest

from analysis import figures
from analysis.figures import style
from analysis.figures.claim import Outcome
from analysis.report import publish, published
from analysis.tables.in_memory import Tables
from experiments.publish import check_whole
from lab.errors import UserError
from lab.runs.directory import RunDirectory
from tests.analysis.runs import RESULTS
from tests.analysis.runs import judged as judged_once
from tests.tiny_runs import tiny_run

GD = "gradient_descent"
# {figure: [(table, column, two values that are exchanged, words of the claims whose verdict must turn[, which rows])]}
# of claims that tests/experiments/test_results.py cannot move
SWAPS = {
    "fig1": [("curves", "step", (0.0, 2000.0), ["vanish", "Without documents"])],
    "fig2": [
        ("seeds", "learner", (GD, "least_squares"), ["follow gradient descent for every"]),
        ("seeds", "learner", ("transformer", "least_squares"), ["is as close"]),
        ("seeds", "learner", ("interpolated", "least_squares"), ["follow gradient descent for every"]),
    ],
    "fig3": [("curves", "step", (0.0, 1500.0), ["Differences from gradient descent"], {"task.num_documents": 2.0})],
    "fig4": [
        ("seeds", "learner", ("learned_descent", "fitted_rag"), ["performs as RAG does"]),
        ("seeds", "data.normalization", ("minmax", "zscore"), ["least aligned normalisation", "by the units alone"]),
        ("inputs", "data.normalization", ("minmax", "zscore"), ["compresses the majority"]),
    ],
    "fig5": [("curves", "step", (0.0, 1500.0), ["At 5 layers"])],
    "fig6": [
        ("inputs", "data.normalization", ("minmax", "rank"), ["near zero"]),
        ("seeds", "data.normalization", ("minmax", "rank"), ["the cosine is the lowest"]),
    ],
}


@pytest.fixture(scope="module")
def judged():
    return judged_once()


def test_the_pages_are_those_of_the_tables(judged):
    everything = publish.everything(judged)
    assert (RESULTS.with_suffix(".md")).read_text(encoding="utf-8") == published.page(RESULTS, everything)
    assert len(everything) > 30
    without_claims = {figure for figure, claims in judged.items() if not claims}
    assert without_claims == {"functions_sparse", "language_recommend_searched"}
    assert judged.keys() <= everything.keys()


def test_a_criterion_is_that_of_the_day_when_its_tables_were_kept_or_says_that_it_changed(judged):
    """A claim that was added later says so too, if the tables measure it. Who rewords a criterion without another
    meaning rewords its row."""
    for figure, verdicts in judged.items():
        unmeasured = {each["statement"] for each in verdicts if each["outcome"] == Outcome.NOT_MEASURED.value}
        claims = [claim for claim in figures.claims_of(figure)[0] if claim.statement not in unmeasured]
        rows = RunDirectory(RESULTS / figure).read_text_table(publish.CRITERIA) if claims else []
        kept = {row["statement"]: row["criterion"] for row in rows}
        others = [claim for claim in claims if kept.get(claim.statement) != claim.criterion]
        assert [claim.statement for claim in others if not claim.changed] == [], figure


def test_every_kept_table_says_what_made_it(judged):
    for figure in judged:
        command, *_ = (RESULTS / figure / published.MADE_BY).read_text(encoding="utf-8").splitlines()
        assert command.startswith("python run.py ")


@pytest.mark.slow
def test_the_tables_of_a_single_run_are_kept(tmp_path, tmp_path_factory):
    """Those by which its claims are judged and no others, with what made them; judged again they give the same."""
    run = tiny_run(tmp_path_factory, "momentum_attention").directory
    publish.publish(RunDirectory(run), tmp_path / "kept")
    (figure,) = (path for path in (tmp_path / "kept").iterdir())
    assert {path.name for path in figure.iterdir()} == {"criteria.csv", "curves.csv", published.MADE_BY}
    kept = publish.judged(tmp_path / "kept")
    before = RunDirectory(run).read_summary()["claims"]
    assert [claim["outcome"] for claim in kept[figure.name]] == [claim["outcome"] for claim in before]
    publish.write_verdicts(tmp_path / "kept")
    first = (tmp_path / "kept.md").read_bytes()
    publish.write_verdicts(tmp_path / "kept")
    assert first == (tmp_path / "kept.md").read_bytes()
    assert b"python run.py experiment=momentum_attention" in first


def test_a_figure_without_claims_says_which_large_tables_are_kept(tmp_path, monkeypatch):
    """Of the tables that it draws; what it does not draw is not kept."""

    def draw(directory):
        for name in ("clicks", "curves"):
            directory.read_table(name)
        return style.panels(1, 1, width=2, height=2)[0]

    monkeypatch.setitem(figures.FIGURES, "picture", SimpleNamespace(CAPTION="", draw=draw, KEEPS=("clicks",)))
    monkeypatch.setattr(publish, "LARGE", 0)
    run = RunDirectory(tmp_path / "run")
    run.path.mkdir()
    for name in ("clicks", "curves", "spent"):
        run.write_table(name, [{"seed": 0, "auc": 0.5}])
    machine = {"versions": {}, "processor": "", "backend": "cpu", "python": "3", "cpus": 1, "git_revision": ""}
    for name, content in (("summary", {"figure": "picture", "command": "python run.py"}), ("environment", machine)):
        run.write_text(f"{name}.json", json.dumps(content))
    run.write_text("config.yaml", "lm:\n  path: somewhere\n  sha256: [ab, cd]\ntext:\n  sha256: []\nseeds: 2\n")
    publish.publish(run, tmp_path / "kept")
    assert {path.name for path in (tmp_path / "kept" / "picture").iterdir()} == {"clicks.csv", published.MADE_BY}
    origin = (tmp_path / "kept" / "picture" / published.MADE_BY).read_text(encoding="utf-8")
    assert origin.splitlines()[-1] == "lm.sha256 ab cd"


@pytest.mark.slow
def test_the_settings_that_a_claim_asks_for_are_kept(tmp_path, tmp_path_factory):
    """Without those of the machine, and without the places of files."""
    run = tiny_run(tmp_path_factory, "functions").directory
    publish.publish(RunDirectory(run), tmp_path / "kept")
    (figure,) = (tmp_path / "kept").iterdir()
    before, kept = RunDirectory(run).read_config(), RunDirectory(figure).read_config()
    assert kept["task"] == before["task"]
    assert before["run"]
    assert not {"run", "device"} & kept.keys()
    publish.write_verdicts(tmp_path / "kept")


def test_every_number_of_the_claims_is_that_of_the_tables(judged):
    with open(RESULTS / "claims.csv", newline="", encoding="utf-8") as file:
        kept = list(csv.DictReader(file))
    assert kept == [{key: str(value) for key, value in row.items()} for row in published.numbers(judged)]
    assert len(kept) > 50


def swapped(tables, table, column, values, where):
    """A figure's tables in which two values of a column are exchanged, in the rows that have `where`."""
    exchange = dict(zip(values, reversed(values), strict=True))
    assert {*values} <= {row[column] for row in tables[table]}, f"nothing to swap in {column}"
    rows = [
        row | {column: exchange.get(row[column], row[column])} if where.items() <= row.items() else row
        for row in tables[table]
    ]
    return Tables(**tables | {table: rows})


@pytest.mark.slow
@pytest.mark.parametrize("figure", SWAPS)
def test_swapped_columns_turn_the_verdicts_that_should_turn(figure):
    """Without their controls, which swapped tables may fail as well."""
    there, claims = RunDirectory(RESULTS / figure), figures.claims_of(figure)[0]
    tables = {path.stem: there.read_table(path.stem) for path in there.path.glob("*.csv")}
    for table, column, values, turning, *where in SWAPS[figure]:
        other = swapped(tables, table, column, values, *(where or [{}]))
        for part in turning:
            (claim,) = [dataclasses.replace(claim, controls=()) for claim in claims if part in claim.statement]
            assert claim.evaluate(Tables(**tables), {})["holds"] != claim.evaluate(other, {})["holds"], (part, values)


def test_a_point_of_a_sweep_is_refused(tmp_path):
    """Its figure is that of its kind, whose kept table it would replace."""
    point, sweep, other = (RunDirectory(tmp_path / name) for name in ("point", "sweep", "other"))
    for place, name, figure in (
        (point, "dti_far", ""),
        (sweep, "dti_far", "dti_far"),
        (other, "demonstrations", ""),
    ):
        place.path.mkdir()
        place.write_text("config.yaml", f"name: {name}\nfigure: '{figure}'\n")
    with pytest.raises(UserError, match="a point of the sweep dti_far"):
        check_whole(point)
    check_whole(sweep)
    check_whole(other)
