"""What a user sees of a run that does not come to its end: the reason in one line, and what was measured is kept."""

import json
import re
import shlex
import signal
import subprocess

import pytest

from experiments.regression.comparison.evaluation import Evaluator
from lab.runs import interrupt
from tests.command_line import ENVIRONMENT, TINY, command, lab, lab_here, started, wait_until_it_trains


@pytest.mark.slow
def test_a_full_disk_names_the_file(tmp_path):
    """A signal aside, a limit of the size of files acts as a full disk does."""
    script = f"ulimit -f 20; exec {shlex.join(command('experiment=dual_form', 'cases=2', 'topics=[linear]'))}"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 1
    assert re.fullmatch(r"error: cannot write runs/dual_form/\w+\.tmp/\S+ \(File too large\); .*\n", done.stderr)


@pytest.mark.slow
def test_a_launcher_that_is_not_here(tmp_path):
    words = ["-m", "experiment=dual_form", "cases=2", "topics=[linear]", "seed=1,2", "launcher=submitit_slurm"]
    done = lab(*words, cwd=tmp_path, PATH=str(tmp_path))  # so without Slurm's commands
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: launcher=submitit_slurm: its jobs did not run (Could not detect")
    assert not [*tmp_path.glob("runs/*/")]


def test_a_directory_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    done = lab_here("experiment=plain", *TINY, "run.dir=file", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "run.dir=file" in done.stderr
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_loss_that_diverges_stops_the_run(tmp_path):
    """A gradient step of 1e18 on every weight overflows the next loss."""
    words = ["experiment=plain", *TINY, "train.learning_rate=1e18", "train.warmup=0"]
    done = lab_here(*words, cwd=tmp_path)
    assert done.returncode == 1
    assert "at step 1 with seed 0" in done.stderr
    assert "train.learning_rate" in done.stderr
    assert done.stderr.count("\n") == 1
    (directory,) = (tmp_path / "runs" / "plain").iterdir()
    kept = [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]
    assert [line["members"][0]["step"] for line in kept] == [0]
    assert not (directory / "DONE").exists()
    assert not (directory / "summary.json").exists()


@pytest.mark.parametrize("grid", [[], ["grid=['train.learning_rate=0.01,0.02']"]])
def test_a_signal_whose_exception_became_another_stops_the_run(grid, tmp_path, monkeypatch):
    """JAX raises a ValueError where the exception of a signal was raised in a comparison of its own."""

    def curve(self):
        interrupt._received = signal.SIGTERM
        raise ValueError("in a comparison")

    monkeypatch.setattr(interrupt, "_received", None)
    monkeypatch.setattr(Evaluator, "curve", curve)
    done = lab_here("experiment=plain", *grid, *TINY, cwd=tmp_path)
    assert (done.returncode, done.stderr.strip().split(";")[0]) == (128 + signal.SIGTERM, "stopped")
    assert not [*tmp_path.glob("runs/plain/*/FAILED")]


def test_the_last_update_is_looked_at_too(tmp_path):
    words = ["experiment=plain", *TINY, "train.steps=1", "train.learning_rate=1e18", "train.warmup=0"]
    done = lab_here(*words, cwd=tmp_path)
    assert done.returncode == 1
    assert "step 1" in done.stderr
    assert not list(tmp_path.glob("runs/plain/*/DONE"))


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_measured(tmp_path):
    with started("experiment=plain", *TINY, "train.steps=100000000", "train.eval_every=20", cwd=tmp_path) as process:
        metrics = wait_until_it_trains(process, tmp_path) / "metrics.jsonl"
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stopped" in stderr
    assert "Traceback" not in stderr
    assert all(json.loads(line) for line in metrics.read_text().splitlines())
