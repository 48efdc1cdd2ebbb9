"""The example scripts: bash reads them, and the words that they give to the lab are understood."""

import os
import re
import shlex
import subprocess

import pytest

from lab.config import compose
from tests.command_line import ROOT

compose.register()
SLURM = ROOT / "examples" / "slurm.sh"


def test_bash_reads_the_script_and_the_lab_its_words():
    subprocess.run(["bash", "-n", str(SLURM)], check=True)
    lines = SLURM.read_text().replace("\\\n", " ").splitlines()
    (command,) = (line for line in lines if "run.py" in line and not line.startswith("#"))
    words = shlex.split(re.search(r'run\.py (.*) "\$@"', command)[1])
    config = compose.compose(words)
    assert config.hosts.auto
    asked = dict(re.findall(r"^#SBATCH --([a-z-]+)=(\S+)", SLURM.read_text(), flags=re.MULTILINE))
    assert config.population.seeds % (int(asked["nodes"]) * int(asked["ntasks-per-node"])) == 0


@pytest.mark.parametrize(("status", "again"), [(0, ""), (1, ""), (134, ""), (143, "requeue 7\n")])
def test_a_job_that_was_stopped_is_started_again(status, again, tmp_path):
    """With commands in the place of Slurm's that say what they were asked."""
    for name, line in (("srun", f'echo "$@" > asked; exit {status}'), ("scontrol", 'echo "$@"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    slurm = {"PATH": path, "SLURM_JOB_ID": "7", "SLURM_CPUS_PER_TASK": "4"}
    done = subprocess.run(
        ["bash", str(SLURM), "seed=3"],
        cwd=tmp_path,
        env=os.environ | slurm,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, again, "")
    asked = (tmp_path / "asked").read_text().split()
    assert asked[:2] == ["--cpus-per-task=4", "--kill-on-bad-exit=1"]
    assert asked[-2:] == ["hosts.auto=true", "seed=3"]
