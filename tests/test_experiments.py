"""Every experiment file, on a tiny budget, from the command to the report."""

import csv
import json
import math

import pytest

from analysis.figures import by_normalization
from lab.config.compose import compose, register
from lab.config.experiments import EXPERIMENTS, experiments
from lab.config.points import axes
from tests.command_line import TINY, lab
from tests.page import check_page

register()
BENCHMARKS = ("benchmark",)  # they measure speed and compare nobody: tests/trainers/test_benchmark.py runs them
PAPERS = ("paper",)  # experiments of the others: tests/test_paper.py
NEED_FILES = ("fig4", "fig6")  # which a test must not download
TIMES = ("seconds", "steps_per_second")


def directory_of(path):
    """That of the sweep, where there is one: its points are beside it."""
    found = list(path.glob("runs/*/*"))
    sweeps = [directory for directory in found if (directory / "points.csv").exists()]
    (directory,) = sweeps or found
    return directory


def without_times(summary):
    """The summary less what a clock says."""
    if not isinstance(summary, dict):
        return summary
    return {key: without_times(value) for key, value in summary.items() if key not in TIMES}


def corners(name, instead):
    """Words that leave of an experiment's grid the first and the last value of each key that has no other `instead`."""
    fixed = [word.split("=")[0] for word in instead]
    grid = axes(compose(["experiment=" + name]).grid).items()
    ends = {key: f"{values[0]},{values[-1]}" for key, values in grid if key not in fixed}
    return [f"grid={json.dumps([f'{key}={values}' for key, values in ends.items()])}"] if ends else []


@pytest.mark.parametrize("name", sorted(experiments()))
def test_head_of_an_experiment_file(name):
    head = (EXPERIMENTS / f"{name}.yaml").read_text().splitlines()[1:4]
    assert f"python run.py experiment={name}" in head[1], "the command comes first"
    assert "CPU cores" in head[1], "and its cost"
    assert head[2].startswith("# Expect:"), "then what to expect"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(experiments()) - {*BENCHMARKS, *PAPERS}))
def test_experiment_file(name, tmp_path):
    instead = ["data=diabetes"] if name in NEED_FILES else []
    done = lab(f"experiment={name}", *TINY, *corners(name, instead), *instead, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    directory = directory_of(tmp_path)
    assert directory.parent.name == name
    summary = json.loads((directory / "summary.json").read_text())
    assert summary["experiment"] == name
    assert summary["config_hash"] == directory.name
    for point in summary.get("points", {"": summary}).values():
        check_summary(point)
    claims = summary.get("claims", [])
    assert bool(claims) == (name in {"fig1", "fig2", "fig3", "fig4", "fig5", "fig6", "rag_retrieve"})
    check_contract(summary)
    if name == "rag_retrieve":
        for point in summary["points"].values():
            assert point["learners"]["retrieved_descent"]["eta"] > 0
    for claim in claims:
        assert claim["statement"]
        assert claim["source"]
        measured = name not in NEED_FILES  # of diabetes nobody locked anything
        assert (claim["holds"] in (True, False)) == bool(claim["measured"]) == measured
    for file in ("DONE", "config.yaml", "environment.json", "curves.csv", "learners.csv", "alignment.csv"):
        assert (directory / file).exists()
    if name in NEED_FILES:
        header = (directory / "points.csv").read_text().splitlines()[0].split(",")
        assert {*by_normalization.USED} <= {*header}, "what the claims are made of"
    assert list(directory.glob("figures/*.png"))
    assert list(directory.glob("figures/*.pdf"))
    assert list(directory.parent.rglob("parameters.npz"))
    text = (directory / "report.html").read_text()
    check_page(directory / "report.html")
    for point in summary.get("points", {"": summary}).values():
        assert f"{point['learners']['transformer']['loss']['mean']:.5f}" in text
        assert f"{point['alignment'][point['reference']]['sensitivity_cosine']:.5f}" in text
    assert "line_search_episodes: 100" in text, "the configuration"
    assert "git_revision" in text, "the environment"


def check_contract(summary):
    """What the summary of every run and sweep is promised to hold, of whatever kind."""
    assert {"experiment", "kind", "config_hash", "command", "figure", "tables", "notes", "seconds", "claims"} <= {
        *summary
    }
    if "points" in summary:
        assert summary["failed"] == {}
        for point in summary["points"].values():
            check_contract(point)
    else:
        assert all(value is None or isinstance(value, float) for value in summary["numbers"].values())


def check_summary(summary):
    """What the summary of a run is promised to hold."""
    assert {"setup", "train", "evaluate", "total"} <= set(summary["seconds"])
    assert summary["steps_per_second"] > 0
    references = {"gradient_descent", "constructed", "interpolated", "gd_plus_plus", "ridge", "least_squares"}
    assert summary["learners"]["gd_plus_plus"]["by_step"]["eta"][0] > 0
    assert {"transformer"} | references <= set(summary["learners"])
    for name in ({"transformer"} | references) - {"interpolated"}:  # of an untrained one, it need not be finite
        assert math.isfinite(summary["learners"][name]["loss"]["mean"])
        assert summary["learners"][name]["loss"]["stderr"] >= 0
    assert summary["learners"]["gradient_descent"]["eta"] > 0
    assert {"gradient_descent", "constructed"} <= set(summary["alignment"])
    for of in (summary["alignment"][name] for name in references - {"interpolated"}):
        metrics = {"prediction_l2", "sensitivity_cosine", "sensitivity_l2", "loss_difference"}
        assert all(math.isfinite(of[metric]) for metric in metrics)
    of_a_table = "boosting" in summary["learners"]
    assert of_a_table or {"eta", "loss"} <= set(summary["oracle"])
    # by construction, the same function: what differs is float32 rounding
    same = "own_descent" if of_a_table else "gradient_descent"
    constructed, descent = (summary["learners"][name] for name in ("constructed", same))
    assert constructed["loss"]["mean"] == pytest.approx(descent["loss"]["mean"], rel=1e-4)


def test_a_finished_run_is_found_and_a_forced_one_gives_the_same(tmp_path):
    first = lab("experiment=rag_dot", *TINY, cwd=tmp_path)
    directory = directory_of(tmp_path)
    written = {path: path.stat().st_mtime_ns for path in directory.rglob("*") if path.is_file()}
    summary = json.loads((directory / "summary.json").read_text())

    again = lab("experiment=rag_dot", *TINY, cwd=tmp_path)
    assert again.returncode == 0
    assert "already done" in again.stdout
    assert {path: path.stat().st_mtime_ns for path in written} == written
    table = [line for line in first.stdout.splitlines() if line.startswith(" gradient descent")]
    assert len(table) == 2
    assert all(line in again.stdout for line in table)

    forced = lab("experiment=rag_dot", *TINY, "run.force=true", cwd=tmp_path)
    assert forced.returncode == 0
    assert directory_of(tmp_path) == directory
    missing = lab("experiment=rag_dot", *TINY, "device.require=tpu", cwd=tmp_path)
    assert missing.returncode == 1
    assert "device.require=tpu" in missing.stderr
    assert (directory / "summary.json").stat().st_mtime_ns > written[directory / "summary.json"]
    assert without_times(json.loads((directory / "summary.json").read_text())) == without_times(summary)


OTHER_SETTINGS = [
    "model.num_heads=2", "model.injection=each", "model.recurrent=false", "baselines.init_std=0.1", "eval.episodes=2",
    "task.output_dim=3", "task.num_queries=2", "task.shared=true", "task.input_dim=3", "population.seeds=2", "seed=5",
]  # fmt: skip


@pytest.mark.slow
def test_every_other_setting_reaches_the_end_and_a_population_reports_its_spread(tmp_path):
    done = lab("experiment=rag_dot", *TINY, *OTHER_SETTINGS, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no interpolated Transformer" in done.stdout
    assert "spread over seeds" in done.stdout
    directory = directory_of(tmp_path)
    assert (directory / "DONE").exists()
    summary = json.loads((directory / "summary.json").read_text())
    assert summary["learners"]["transformer"]["loss"]["spread"] > 0
    assert summary["alignment"]["gradient_descent"]["spread"]["sensitivity_cosine"] > 0
    with open(directory / "curves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["step"], row["seed"]) for row in rows} == {(s, p) for s in "024" for p in "56"}
