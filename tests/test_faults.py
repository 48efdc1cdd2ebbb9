"""What becomes of a run whose process is killed, asked to stop, or not alone."""

import json
import random
import signal
import subprocess
import time

import pytest

from tests.command_line import ENVIRONMENT, TINY, command, lab, wait_until_it_trains
from tests.test_experiments import without_times

LONG = ["train.steps=100000000", "train.eval_every=20"]


def started(words, cwd):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command(*words), cwd=cwd, env=ENVIRONMENT, **pipes)


def test_sigterm_finishes_the_chunk_and_saves(tmp_path):
    with started(["experiment=plain", *TINY, *LONG], tmp_path) as process:
        directory = wait_until_it_trains(process, tmp_path)
        process.send_signal(signal.SIGTERM)
        try:
            _, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 128 + signal.SIGTERM
    assert "the same command goes on" in stderr
    assert "Traceback" not in stderr
    last = json.loads((directory / "metrics.jsonl").read_text().splitlines()[-1])
    saved = [int(sums.stem) for sums in (directory / "checkpoints").glob("*.sha256")]
    assert max(saved) == last["members"][0]["step"]


def test_a_second_process_refuses(tmp_path):
    with started(["experiment=plain", *TINY, *LONG], tmp_path) as process:
        try:
            wait_until_it_trains(process, tmp_path)
            second = lab("experiment=plain", *TINY, *LONG, cwd=tmp_path)
        finally:
            process.kill()
    assert second.returncode == 1
    assert second.stderr.count("\n") == 1
    assert "another process is at work there" in second.stderr


@pytest.mark.slow
def test_killed_twenty_times(tmp_path):
    """At random moments of its life. In the end its tables and its summary are those of a run that nobody killed."""
    words = ["experiment=plain", *TINY, "train.steps=400", "population.seeds=2", "checkpoint.every=0"]
    began = time.monotonic()
    assert lab(*words, "run.dir=whole", cwd=tmp_path).returncode == 0
    whole, seconds = directory_of_runs(tmp_path / "whole"), time.monotonic() - began
    moments = random.Random(0)
    for _ in range(20):
        with started([*words, "run.dir=killed"], tmp_path) as process:
            try:
                process.wait(timeout=moments.uniform(0, seconds))
                assert process.returncode == 0, process.stderr.read()
            except subprocess.TimeoutExpired:
                process.kill()
    done = lab(*words, "run.dir=killed", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    killed = directory_of_runs(tmp_path / "killed")
    for table in ("curves", "learners", "alignment", "layers"):
        assert (killed / f"{table}.csv").read_bytes() == (whole / f"{table}.csv").read_bytes()
    summaries = [json.loads((path / "summary.json").read_text()) for path in (killed, whole)]
    for summary in summaries:
        summary.pop("together"), summary.pop("command")
    assert without_times(summaries[0]) == without_times(summaries[1])


def directory_of_runs(path):
    (found,) = path.glob("*/*")
    return found
