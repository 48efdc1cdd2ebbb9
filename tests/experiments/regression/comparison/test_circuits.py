"""What a run leaves of its Transformer's circuits: tables, arrays, pictures and the notes about them."""

import shutil

import numpy as np
import pytest

from analysis.figures.circuits import captions
from analysis.figures.narrow import LARGE, NARROW
from analysis.report.present import present
from experiments.regression.comparison import circuits
from experiments.regression.comparison import run as experiment
from lab.runs.directory import RunDirectory
from tests.command_line import TINY
from tests.sketch import sketched
from tests.trainers.sessions import records_of
from trainers import pending

pytestmark = pytest.mark.slow  # whole experiments

PICTURES = ("circuits_matrices", "circuits_attention", "circuits_linear_path", "circuits_layers")


def run(path, *words):
    """A whole tiny run, and its directory."""
    (record,) = records_of(words=[*words, *TINY, f"run.dir={path}"])
    with pending.at_work([record]):
        experiment.run([record])
    return record.directory


def pictures(directory):
    """Each is there for narrow screens too."""
    stems = {file.stem for file in (directory.path / "figures").glob("circuits_*")}
    wide = {stem for stem in stems if not stem.endswith(NARROW)}
    assert stems == wide | {f"{stem}{NARROW}" for stem in wide}
    return wide


@pytest.fixture(scope="module")
def of_documents(tmp_path_factory):
    """A run whose figures are drawn, as it is older than what is patched for a test. Tests leave it as it was."""
    words = ("experiment=rag_dot", "model.num_layers=2", "seeds=2", "task.input_dim=3", "seed=3")
    return run(tmp_path_factory.mktemp("of_documents"), *words)


def test_a_run_with_two_layers_and_documents(of_documents, drawn):
    directory = of_documents
    arrays, line = directory.read_arrays("circuits"), directory.read_table("linear_path")
    assert pictures(directory) == set(PICTURES)
    assert captions(directory).keys() == pictures(directory)
    assert arrays["slots"].tolist() == ["x", "x", "y"]
    assert arrays["attention.transformer.mean"].shape == (2, 11, 10 + 1), "the query and examples; a pooled document"
    assert arrays["transformer.document_qk"].shape == (1, 7, 3)
    assert not arrays["constructed.document_qk"].any()
    assert {row["with"] for row in directory.read_table("predictions")} == {"gradient_descent", "gd_plus_plus"}
    losses = {row["weight"]: row["loss"] for row in line}
    (of_first_seed,) = (row for row in directory.read_table("curves") if (row["step"], row["seed"]) == (4, 3))
    for place, name in ((0.0, "transformer"), (0.5, "interpolated"), (1.0, "constructed")):
        assert losses[place] == pytest.approx(of_first_seed[f"loss.{name}"], rel=1e-4), "on all validation episodes"
    assert [row["above_trained"] for row in line if row["weight"] == 0] == [0.0]
    assert any("seed 3 alone" in note for note in directory.read_summary()["notes"])
    assert not directory.has_table("blocks"), "of one seed alone"
    page = (directory.path / "report.html").read_text()
    assert all(name in page for name in PICTURES)

    drawn = {file: file.read_bytes() for file in (directory.path / "figures").iterdir()}
    large = [file for file in drawn if file.match(f"*{NARROW}.svg") and len(drawn[file]) > LARGE]
    assert len(drawn) == 4 * (1 + len(PICTURES)) + len(large), "each also for narrow screens"
    for file in drawn:
        file.unlink()
    present(directory)
    assert {file: file.read_bytes() for file in (directory.path / "figures").iterdir()} == drawn


def test_a_table_on_learned_features(tmp_path, drawn):
    directory = run(tmp_path, "experiment=tabular")
    result = {row["learner"]: row["mean"] for row in directory.read_table("learners")}
    losses = {row["weight"]: row["loss"] for row in directory.read_table("linear_path")}
    assert pictures(directory) == set(PICTURES)
    assert directory.read_arrays("circuits")["slots"].tolist() == ["phi", "y"]
    assert {row["with"] for row in directory.read_table("predictions")} == {"own_descent", "learned_descent"}
    for place, name in ((0.0, "transformer"), (0.5, "interpolated"), (1.0, "constructed")):
        assert losses[place] == pytest.approx(result[name], rel=1e-4)


def test_with_two_heads_only_what_is_read_out_is_compared(tmp_path):
    directory = run(tmp_path, "experiment=plain", "model.num_heads=2", "model.num_layers=2", "model.clip=10")
    assert pictures(directory) == set(captions(directory)) == {"circuits_layers"}
    assert not directory.has_table("weights")
    assert any("heads" in note and "pictures" in note for note in directory.read_summary()["notes"])


def test_a_run_of_one_seed_keeps_the_parts_of_blocks_of_episodes_in_each_number(tmp_path):
    """In 20 blocks: their error is the standard error to 16%, here within four times as much."""
    with sketched():
        directory = run(tmp_path, "experiment=plain", "task.input_dim=2", "seeds=1", "eval.episodes=400")
    rows, numbers = directory.read_table("blocks"), directory.read_summary()["numbers"]
    assert len(rows) == 20
    known = {name for name, value in numbers.items() if value is not None and not name.endswith("stderr")}
    assert {*rows[0]} - {"block"} == known - {"eta"}
    for name in {*rows[0]} - {"block"}:
        parts = np.array([row[name] for row in rows])
        error = np.sqrt(np.sum(parts**2) * 20 / 19)
        assert error == pytest.approx(numbers[f"{name}.stderr"], rel=0.64, abs=1e-9), name
    assert "blocks" in directory.read_summary()["tables"]


def test_rows_of_the_path_are_paired():
    """The error of a difference is that of the differences, which is 0 where they are all the same."""
    losses = np.linspace(0, 5, 7)[None] + np.arange(len(circuits.circuits.WEIGHTS))[:, None]
    for number, row in enumerate(circuits.path_rows(losses)):
        assert row["loss"] == pytest.approx(losses[number].mean())
        assert row["loss.stderr"] == pytest.approx(losses[number].std(ddof=1) / np.sqrt(7))
        assert row["above_trained"] == pytest.approx(number - 2)
        assert row["above_trained.stderr"] == pytest.approx(0)


def test_what_has_diverged_is_drawn_without_a_warning(of_documents, tmp_path, drawn):
    """Infinite losses along the path, matrices and scores that are not numbers."""
    directory = RunDirectory(shutil.copytree(of_documents.path, tmp_path / "diverged"))
    shutil.rmtree(directory.path / "figures")
    arrays = directory.read_arrays("circuits")
    for name in ("transformer.qk", "attention.transformer.one", "readouts.transformer"):
        arrays[name] = np.where(np.arange(arrays[name].size).reshape(arrays[name].shape) % 2, arrays[name], np.inf)
    directory.write_arrays(
        "circuits", arrays | {"attention.constructed.mean": arrays["attention.constructed.mean"] * np.nan}
    )
    bad = np.full((len(circuits.circuits.WEIGHTS), 4), 1e300, np.float64)
    bad[2:6] = 1.0, 2.0, 3.0, 4.0
    bad[-1] = np.inf
    directory.write_table("linear_path", circuits.path_rows(bad))
    directory.write_table("weights", [row | {"distance": np.nan} for row in directory.read_table("weights")])
    with sketched(lambda _, name: name.startswith("circuits")):
        present(directory)
        directory.write_table("linear_path", circuits.path_rows(np.full_like(bad, np.nan)))
        present(directory)
    assert pictures(directory) == set(PICTURES)
