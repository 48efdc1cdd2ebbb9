"""Every experiment file, on a tiny budget, from the command to the report; those of the paper in test_paper.py."""

import csv

import pytest

from lab.config.compose import compose, register
from lab.config.experiments import experiments
from lab.config.kinds import FILES
from tests.command_line import TINY, lab_here
from tests.run_files import check_experiment, corners, directory_of, summary_of, without_times
from tests.sketch import PIXEL, sketched

register()
IN_THE_PAPER = ("fig1", "fig2", "fig3", "fig4", "fig5", "fig6")
RUN_ELSEWHERE = (  # and where
    *IN_THE_PAPER,  # tests/test_paper.py
    "paper",  # tests/test_paper.py
    "paper_full",  # the same with other numbers: tests/test_paper.py composes it
    "speed",  # tests/experiments/speed/test_speed.py
    "retrieval_cost",  # tests/experiments/retrieval_cost/test_retrieval_cost.py
    "decoder_speed",  # tests/experiments/decoder_speed/test_decoder_speed.py
    "softmax_dual",  # tests/experiments/softmax_dual/test_softmax_dual.py
    "shifted_classes",  # tests/experiments/decoder/test_decoder.py
    "icl_vs_finetune",  # tests/experiments/icl_vs_finetune/test_from_decoders.py
    "deep_thinking",  # tests/experiments/icl_vs_finetune/test_from_decoders.py
    "deep_thinking_settings",  # its parts are runs of deep_thinking
    "demonstration_choice",  # tests/experiments/icl_vs_finetune/test_from_decoders.py
    "demonstration_choice_classes",  # its figure: tests/experiments/demonstration_choice/test_demonstration_choice.py
    "momentum_attention",  # tests/experiments/momentum_attention/test_momentum_attention.py
    "dti_cost",  # tests/experiments/dti_cost/test_dti_cost.py
    "dti_reach",  # tests/experiments/dti_reach/test_dti_reach.py
    "dti_reach_trained",  # the same with trained decoders, as there
    "demonstrations",  # tests/experiments/demonstrations/test_demonstrations.py
    "recommend",  # tests/experiments/recommend/test_recommend.py
    "recommend_log",  # the same on a log, as there
    "prompt_text",  # tests/experiments/prompt_text/test_prompt_text.py
    "click_stream",  # tests/experiments/dti/test_dti.py
    "dti",  # its parts are runs of the same kind, its claims are there too
    "dti_ablation",
    "dti_worlds",
    "click_log",  # tests/experiments/click_log/test_click_log.py: it needs a log
    "functions_linear",  # tests/experiments/functions/test_functions.py
    "functions_tree",  # tests/experiments/functions/test_functions.py
    "functions_sparse",  # as functions_tree with other numbers: tests/test_docs.py composes it
    "functions_network",  # as functions_tree with other numbers: tests/test_docs.py composes it
    "curriculum",  # tests/experiments/functions/test_curriculum.py
    "task_diversity",  # tests/experiments/task_diversity/test_task_diversity.py
    "prompt_shifts",  # tests/experiments/prompt_shifts/test_prompt_shifts.py
    "more_steps",  # tests/experiments/more_steps/test_more_steps.py
    "rag_dot",  # below
)
OF_FILES = ("fig4", "fig6", "table_documents")  # of data sets that a test must not download: it takes the one inside
BUDGET = {
    "dual_form": ["cases=2"],  # it does not know TINY's keys
    "stacks": [*TINY, "model.num_layers=2"],  # five are in `depth`
    "depth_long": [*TINY, "model.num_layers=2"],
    "rag_retrieve": [*TINY, "model.num_layers=2", "task.num_documents=2"],  # its claims need no more
}


@pytest.mark.parametrize("name", sorted(experiments()))
def test_head_of_an_experiment_file(name):
    head = FILES[name].read_text().splitlines()[:3]
    assert f"python run.py experiment={name}" in head[1], "the command comes first"
    assert "CPU cores" in head[1], "and its cost"
    assert head[2].startswith("# Expect:"), "then what to expect"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*experiments()} - {*RUN_ELSEWHERE}))
def test_experiment_file(name, tmp_path, drawn):
    """Its own figure is drawn; those of the runs of a sweep, and of circuits, have tests of their own."""
    words = [*corners(name, fixed=("data",)), "data=diabetes"] if name in OF_FILES else corners(name)
    settings = compose([f"experiment={name}"])
    figure = settings.figure or (settings.SWEEP_FIGURE if settings.has_points else settings.FIGURE)
    several = hasattr(settings, "population") and settings.population.seeds > 2  # two make a spread
    seeds = ["population.seeds=2"] if several else []
    with sketched(lambda _, name: name == figure):
        done = lab_here(f"experiment={name}", *(BUDGET.get(name) or [*TINY, *words]), *seeds, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    summary = check_experiment(directory_of(tmp_path), name)
    picture = directory_of(tmp_path) / "figures" / f"{summary['drawn']}.png"
    assert picture.read_bytes() != PIXEL
    if name == "rag_retrieve":
        for point in summary["points"].values():
            assert point["learners"]["retrieved_descent"]["eta"] > 0


def test_a_finished_run_is_found_and_a_forced_one_gives_the_same(tmp_path):
    first = lab_here("experiment=rag_dot", *TINY, cwd=tmp_path)
    directory = directory_of(tmp_path)
    summary = check_experiment(directory, "rag_dot")
    written = {path: path.stat().st_mtime_ns for path in directory.rglob("*") if path.is_file()}

    again = lab_here("experiment=rag_dot", *TINY, cwd=tmp_path)
    assert again.returncode == 0
    assert "already done" in again.stdout
    assert {path: path.stat().st_mtime_ns for path in written} == written
    table = [line for line in first.stdout.splitlines() if line.startswith(" gradient")]
    assert len(table) == 2
    assert all(line in again.stdout for line in table)

    forced = lab_here("experiment=rag_dot", *TINY, "run.force=true", cwd=tmp_path)
    assert forced.returncode == 0
    assert directory_of(tmp_path) == directory
    missing = lab_here("experiment=rag_dot", *TINY, "device.require=tpu", cwd=tmp_path)
    assert missing.returncode == 1
    assert "device.require=tpu" in missing.stderr
    assert (directory / "summary.json").stat().st_mtime_ns > written[directory / "summary.json"]
    assert without_times(summary_of(directory)) == without_times(summary)


OTHER_SETTINGS = [
    "model.num_heads=2", "model.injection=each", "model.recurrent=false", "baselines.init_std=0.1", "eval.episodes=2",
    "task.output_dim=3", "task.num_queries=2", "task.shared=true", "task.input_dim=3", "population.seeds=2", "seed=5",
]  # fmt: skip


@pytest.mark.slow
def test_every_other_setting_reaches_the_end_and_a_population_reports_its_spread(tmp_path):
    done = lab_here("experiment=rag_dot", *TINY, *OTHER_SETTINGS, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no interpolated Transformer" in done.stdout
    directory = directory_of(tmp_path)
    assert (directory / "DONE").exists()
    summary = summary_of(directory)
    assert summary["together"] == {"models": 2, "runs": 1}
    assert summary["learners"]["transformer"]["loss"]["spread"] > 0
    assert summary["alignment"]["gradient_descent"]["spread"]["sensitivity_cosine"] > 0
    with open(directory / "curves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["step"], row["seed"]) for row in rows} == {(step, seed) for step in "024" for seed in "56"}
