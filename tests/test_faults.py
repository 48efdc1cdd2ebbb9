"""What becomes of a run that does not come to its end, or whose process is killed, asked to stop, or not alone: the
reason in one line, and what was measured is kept."""

import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from experiments.regression.comparison.evaluation import Evaluator
from lab.config.compose import compose_run
from lab.runs import interrupt
from lab.runs.directory import RunDirectory
from tests.command_line import (
    ENVIRONMENT,
    ROOT,
    TINY,
    check_refused,
    command,
    lab,
    lab_here,
    sketching_command,
    sketching_lab,
    started,
    wait_until_it_trains,
)
from tests.run_files import directory_of, summary_of, without_times

LONG = ["experiment=plain", *TINY, "train.steps=100000000", "train.eval_every=20"]
KILLS = 3


def saved(directory):
    """The step of the latest saved state, after a check that metrics.jsonl ends at it."""
    *_, last = map(json.loads, (directory / "metrics.jsonl").read_text().splitlines())
    steps = [int(state.stem) for state in (directory / "checkpoints").glob("[0-9]*.npz")]
    assert max(steps) == last["members"][0]["step"]
    return max(steps)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_process_refuses_and_sigterm_finishes_the_chunk_and_saves(number, tmp_path):
    """And so does Ctrl-C."""
    with started(*LONG, cwd=tmp_path) as process:
        directory = wait_until_it_trains(process, tmp_path)
        second = lab_here(*LONG, cwd=tmp_path)
        process.send_signal(number)
        _, stderr = process.communicate(timeout=120)
    check_refused(second, "another process is at work there")

    assert process.returncode == 128 + number
    assert "the same command goes on" in stderr
    assert "Traceback" not in stderr
    assert saved(directory) > 0


TERMINAL = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.slow
def test_a_terminal_that_is_closed_lets_the_chunk_end_and_saves(tmp_path):
    """Also where what is printed then, progress say, would be an error."""
    ours, its = os.openpty()
    words = [sys.executable, "-c", TERMINAL, *sketching_command(*LONG)]
    streams: dict[str, Any] = {"stdin": its, "stdout": its, "stderr": its}
    with (
        subprocess.Popen(["cat"], stdin=ours, stdout=subprocess.DEVNULL) as window,
        subprocess.Popen(words, cwd=tmp_path, env=ENVIRONMENT, start_new_session=True, **streams) as process,
    ):
        os.close(ours)
        os.close(its)
        directory = wait_until_it_trains(process, tmp_path)
        window.kill()
        try:
            process.wait(timeout=120)
        finally:
            process.kill()  # nothing, if it has ended
    assert process.returncode == 128 + signal.SIGHUP
    assert saved(directory) > 0


@pytest.mark.slow
def test_killed_again_and_again(tmp_path):
    """At random moments of its life. In the end its tables and its summary are those of a run that nobody killed."""
    words = ["experiment=plain", *TINY, "train.steps=40", "seeds=2", "checkpoint.every=0"]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    began = time.monotonic()
    assert sketching_lab(*words, cwd=whole).returncode == 0
    seconds = time.monotonic() - began
    moments = random.Random(0)
    for _ in range(KILLS):
        with started(*words, cwd=killed) as process:
            try:
                process.wait(timeout=moments.uniform(0.3 * seconds, seconds))
                assert process.returncode == 0, process.stderr.read()
            except subprocess.TimeoutExpired:
                process.kill()
    done = sketching_lab(*words, cwd=killed)
    assert done.returncode == 0, done.stderr
    directories = [directory_of(path) for path in (killed, whole)]
    for table in ("curves", "learners", "alignment", "layers"):
        assert len({(directory / f"{table}.csv").read_bytes() for directory in directories}) == 1, table
    first, second = (without_times(summary_of(directory)) for directory in directories)
    assert first == second


@pytest.mark.slow
def test_a_full_disk_names_the_file(tmp_path):
    """A signal aside, a limit of the size of files acts as a full disk does."""
    script = f"ulimit -f 20; exec {shlex.join(command('experiment=dual_form', 'cases=2', 'topics=[linear]'))}"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 1
    assert re.fullmatch(r"error: cannot write runs/dual_form/\w+\.tmp/\S+ \(File too large\); .*\n", done.stderr)


WEIGHTS = """
import resource, sys
import numpy as np
from safetensors.numpy import save_file
sys.path.insert(0, sys.argv[1])
from lab.errors import explain
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    save_file({"weights": np.zeros(1000)}, "model.safetensors")
except Exception as error:
    print(explain(error))
"""


def test_weights_on_a_full_disk(tmp_path):
    """What writes them is no Python, and its error no OSError."""
    done = subprocess.run([sys.executable, "-c", WEIGHTS, ROOT], cwd=tmp_path, capture_output=True, text=True)
    assert re.fullmatch(r"cannot write the output \(.*File too large.*\); what is done is kept\n", done.stdout)


@pytest.mark.slow
def test_a_launcher_that_is_not_here(tmp_path):
    words = ["-m", "experiment=dual_form", "cases=2", "topics=[linear]", "seed=1,2", "launcher=submitit_slurm"]
    done = lab(*words, cwd=tmp_path, PATH=str(tmp_path))  # so without Slurm's commands
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: launcher=submitit_slurm: its jobs did not run (Could not detect")
    assert not [*tmp_path.glob("runs/*/")]


@pytest.mark.slow
def test_a_launcher_that_is_stopped_stops_its_jobs(tmp_path):
    words = ["-m", *LONG, "seed=1,2", "model.num_layers=1,2", "launcher=joblib", "launcher.n_jobs=1"]
    with started(*words, cwd=tmp_path) as process:
        wait_until_it_trains(process, tmp_path)
        process.terminate()
        process.communicate(timeout=120)
        assert process.returncode == 128 + signal.SIGTERM
    assert ": 2 stopped\n" in lab_here("runs", cwd=tmp_path).stdout, (
        "both seeds of the first job, and no other job began"
    )


def test_a_directory_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    done = lab_here("experiment=plain", *TINY, "run.dir=file", cwd=tmp_path)
    check_refused(done, "run.dir=file")
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_folder_in_place_of_a_file(tmp_path):
    words = ["experiment=dual_form", "cases=2", "topics=[linear]"]
    path = RunDirectory.of(compose_run(words)).unfinished.path / "summary.json"
    (tmp_path / path).mkdir(parents=True)
    line = f"error: cannot write {path} (Is a directory); what is done is kept\n"
    assert lab_here(*words, cwd=tmp_path).stderr == line


@pytest.mark.parametrize("last", [[], ["train.steps=1"]])
def test_a_loss_that_diverges_stops_the_run(last, tmp_path):
    """A gradient step of 1e18 on every weight overflows the next loss, of the last update too."""
    words = ["experiment=plain", *TINY, "train.learning_rate=1e18", "train.warmup=0", *last]
    done = lab_here(*words, cwd=tmp_path)
    check_refused(done, "at step 1 with seed 0")
    assert "train.learning_rate" in done.stderr
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
