"""Every experiment file: its head, what it asks for, and for comparisons a run on a tiny budget, from the command to
the report. Of the other kinds tests/experiments/test_every_kind.py runs one; of the paper, tests/test_paper.py all."""

import json
import pathlib
import shutil

import pytest

from experiments import costs
from lab.config.compose import compose
from lab.config.experiments import experiments
from lab.config.kinds import FILES, KINDS, figure_of
from lab.config.points import point, with_inputs
from tests.command_line import TINY, lab_here, ran
from tests.lab.language.folders import files_of_a_model
from tests.run_files import check_experiment, corners, directory_of, summary_of, table, without_times
from tests.sketch import PIXEL, sketched
from tests.tasks.logs.test_movielens import ratings, write_folder
from tests.tiny_runs import tiny_run, words_of
from trainers.experiment import check

# Of data sets that a test must not download: it takes the one inside.
OF_FILES = ("fig4", "fig6", "raw_inputs", "table_documents")
BUDGET = {
    "stacks": [*TINY, "model.num_layers=2"],  # five are in `depth`
    "rag_retrieve": [*TINY, "model.num_layers=2", "task.num_documents=2"],  # its claims need no more
}
ALIKE = {  # experiment: what else runs its kind of model on its kind of data, or itself
    "depth": "stacks", "depth_long": "stacks", "rag_nonlinear": "fig5", "raw_inputs": "table_documents",
    "higher_order": "tests/experiments/regression/comparison/test_higher_order.py",
    "sine": "tests/experiments/regression/comparison/test_interleaved.py",
    "softmax_heads": "tests/experiments/regression/comparison/test_controls_of_layers.py",
    "tabular": "tests/test_golden.py",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(experiments()))
def test_head_of_an_experiment_file(name):
    head = FILES[name].read_text().splitlines()[:3]
    assert f"python run.py experiment={name}" in head[1], "the command comes first"
    assert name in costs.costs()
    assert head[2].startswith("# Expect:"), "then what to expect"


def test_the_table_of_costs_takes_what_finished_runs_show(tmp_path, monkeypatch):
    """Of whole experiments alone; rows of others stay."""
    monkeypatch.setattr(costs, "FILE", shutil.copy(costs.FILE, tmp_path))
    before = costs.costs()
    for folder, command, seconds in (
        ("plain/1", "python run.py experiment=plain", 33.0),
        ("depth/1", "icl-lab experiment=depth run.dir=elsewhere", 7200.0),
        ("fig2/1", "python run.py experiment=fig2 seed=3", 1.0),
    ):
        (tmp_path / "runs" / folder).mkdir(parents=True)
        (tmp_path / "runs" / folder / "DONE").touch()
        summary = {"command": command, "seconds": {"total": seconds}}
        (tmp_path / "runs" / folder / "environment.json").write_text(json.dumps({"cpus": 2, "backend": "cpu"}))
        (tmp_path / "runs" / folder / "summary.json").write_text(json.dumps(summary))
    costs.write(tmp_path / "runs")
    assert costs.costs() == before | {"plain": (33.0, "30 seconds"), "depth": (7200.0, "2 hours")}


@pytest.mark.parametrize("name", sorted(experiments()))
def test_what_an_experiment_file_asks_for_can_be_run(name, tmp_path):
    """Its own words, with those of all its points and of the runs that it starts from, as a command checks them."""
    for each in with_inputs(point([f"experiment={name}", *log_for(name, tmp_path)])):
        check(each)


def logs_in(folder: pathlib.Path) -> dict[str, list[str]]:
    """{experiment of a real log: the words that it needs beside the path of the log}."""
    cache = [f"data.cache={folder}"]
    of_model = [*cache, "lm.path="]
    titles = {name: ["lm.path="] for name in ("language_recommend", "language_recommend_searched")}
    return {"click_log": cache, "dti_log": cache, "dti_language": of_model, "dti_smollm2": of_model,
            "recommend_log": [], **titles}  # fmt: skip


def log_for(name: str, folder: pathlib.Path) -> list[str]:
    """The words that give an experiment small files of its own, which are written there; none for most."""
    if name.startswith("smollm2"):
        return files_of_a_model(compose([f"experiment={name}"]), folder)
    further = logs_in(folder)
    if name not in further:
        return []
    write_folder(folder, ratings(), form="100k")
    return [f"data.path={folder / 'u.data'}", *further[name]]


def of_comparisons() -> list[str]:
    """The experiments of comparisons, but for the kind's tiny run, the paper's figures, and those like another."""
    tiny = {word.removeprefix("experiment=") for word in KINDS["comparison"].schema.TINY}
    names = {name for name, file in FILES.items() if file.parent.name == "comparison"}
    return sorted(names - tiny - {*ALIKE} - {*compose(["experiment=rag_gd", "size=quick"]).parts})


@pytest.mark.slow
@pytest.mark.parametrize("name", of_comparisons())
def test_experiment_file(name, tmp_path, drawn):
    """Its own figure is drawn; those of the runs of a sweep, and of circuits, have tests of their own."""
    words = [*corners(name, fixed=("data",)), "data=diabetes"] if name in OF_FILES else corners(name)
    settings = compose([f"experiment={name}"])
    figure = figure_of(settings)
    several = hasattr(settings, "population") and settings.seeds > 2  # two make a spread
    seeds = ["seeds=2"] if several else []
    with sketched(lambda _, name: name == figure):
        done = lab_here(f"experiment={name}", *(BUDGET.get(name) or [*TINY, *words]), *seeds, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    summary = check_experiment(directory_of(tmp_path), name)
    picture = directory_of(tmp_path) / "figures" / f"{summary['drawn']}.png"
    assert picture.read_bytes() != PIXEL
    if name == "rag_retrieve":
        for point in summary["points"].values():
            assert point["learners"]["retrieved_descent"]["eta"] > 0


@pytest.mark.slow
def test_a_finished_run_is_found_and_a_forced_one_gives_the_same(tmp_path, tmp_path_factory):
    tiny, words = tiny_run(tmp_path_factory, "comparison"), words_of("comparison")
    directory = tmp_path / tiny.directory.relative_to(tiny.folder)
    shutil.copytree(tiny.directory, directory)
    first, summary = tiny.outcome, tiny.summary
    written = {path: path.stat().st_mtime_ns for path in directory.rglob("*") if path.is_file()}

    again = ran(*words, cwd=tmp_path)
    assert "already done" in again.stdout
    assert {path: path.stat().st_mtime_ns for path in written} == written
    table = [line for line in first.stdout.splitlines() if "±" in line]
    assert table
    assert all(line in again.stdout for line in table)

    ran(*words, "run.force=true", cwd=tmp_path)
    assert directory_of(tmp_path) == directory
    missing = lab_here(*words, "device.require=tpu", cwd=tmp_path)
    assert missing.returncode == 1
    assert "device.require=tpu" in missing.stderr
    assert (directory / "summary.json").stat().st_mtime_ns > written[directory / "summary.json"]
    assert without_times(summary_of(directory)) == without_times(summary)


OTHER_SETTINGS = [
    "model.num_heads=2", "model.injection=each", "model.recurrent=false", "baselines.init_std=0.1", "eval.episodes=2",
    "task.output_dim=3", "task.num_queries=2", "task.shared=true", "task.input_dim=3", "seeds=2", "seed=5",
]  # fmt: skip


@pytest.mark.slow
def test_every_other_setting_reaches_the_end_and_a_population_reports_its_spread(tmp_path):
    done = ran("experiment=rag_dot", *TINY, *OTHER_SETTINGS, cwd=tmp_path)
    assert "no interpolated Transformer" in done.stdout
    directory = directory_of(tmp_path)
    assert (directory / "DONE").exists()
    summary = summary_of(directory)
    assert summary["together"] == {"models": 2, "runs": 1}
    assert summary["learners"]["transformer"]["loss"]["spread"] > 0
    assert summary["numbers"]["gradient_descent.sensitivity_cosine.spread"] > 0
    rows = table(directory, "curves")
    assert {(row["step"], row["seed"]) for row in rows} == {(step, seed) for step in "024" for seed in "56"}
