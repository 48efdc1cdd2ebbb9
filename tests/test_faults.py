"""What becomes of a run whose process is killed, asked to stop, or not alone."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from tests.command_line import (
    ENVIRONMENT,
    TINY,
    lab_here,
    sketching_command,
    sketching_lab,
    started,
    wait_until_it_trains,
)
from tests.run_files import directory_of, summary_of, without_times

LONG = ["experiment=plain", *TINY, "train.steps=100000000", "train.eval_every=20"]
KILLS = 3


@pytest.mark.slow
def test_a_second_process_refuses_and_sigterm_finishes_the_chunk_and_saves(tmp_path):
    with started(*LONG, cwd=tmp_path) as process:
        directory = wait_until_it_trains(process, tmp_path)
        second = lab_here(*LONG, cwd=tmp_path)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=120)
    assert second.returncode == 1
    assert second.stderr.count("\n") == 1
    assert "another process is at work there" in second.stderr

    assert process.returncode == 128 + signal.SIGTERM
    assert "the same command goes on" in stderr
    assert "Traceback" not in stderr
    last = json.loads((directory / "metrics.jsonl").read_text().splitlines()[-1])
    saved = [int(sums.stem) for sums in (directory / "checkpoints").glob("*.sha256")]
    assert max(saved) == last["members"][0]["step"]


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
    last = json.loads((directory / "metrics.jsonl").read_text().splitlines()[-1])
    saved = [int(sums.stem) for sums in (directory / "checkpoints").glob("*.sha256")]
    assert max(saved) == last["members"][0]["step"]


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
