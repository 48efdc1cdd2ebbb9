"""The examples: bash reads the script and the lab its words, and the notebook runs."""

import json
import os
import re
import shlex
import subprocess
import sys

import pytest

from lab.config import compose
from tests.command_line import ENVIRONMENT, ROOT

SLURM = ROOT / "examples" / "slurm.sh"
NOTEBOOK = ROOT / "examples" / "in_context.ipynb"


def test_bash_reads_the_script_and_the_lab_its_words():
    subprocess.run(["bash", "-n", str(SLURM)], check=True)
    lines = SLURM.read_text().replace("\\\n", " ").splitlines()
    (command,) = (line for line in lines if "run.py" in line and not line.startswith("#"))
    words = shlex.split(re.search(r'run\.py (.*) "\$@"', command)[1])
    config = compose.compose(words)
    asked = dict(re.findall(r"^#SBATCH --([a-z-]+)=(\S+)", SLURM.read_text(), flags=re.MULTILINE))
    assert config.seeds % int(asked["gpus-per-node"]) == 0


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
    assert asked[0] == "--cpus-per-task=4"
    assert asked[-2:] == ["device.require=gpu", "seed=3"]


@pytest.mark.slow
def test_the_notebook_runs(tmp_path):
    """As Jupyter runs it, in a process of its own, which keeps the event loop's warnings out of pytest."""
    executed = tmp_path / "executed.ipynb"
    script = (
        "import nbformat, nbclient, sys\n"
        "notebook = nbformat.read(sys.argv[1], as_version=4)\n"
        "nbclient.NotebookClient(notebook, timeout=300, kernel_name='python3').execute()\n"
        "nbformat.write(notebook, sys.argv[2])\n"
    )
    places = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = ENVIRONMENT | {"PYTHONPATH": places, "IPYTHONDIR": str(tmp_path)}
    environment = {name: value for name, value in environment.items() if name not in ("PYTHONWARNINGS", "COLUMNS")}
    done = subprocess.run(
        [sys.executable, "-c", script, str(NOTEBOOK), str(executed)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    outputs = [output for cell in json.loads(executed.read_text())["cells"] for output in cell.get("outputs", [])]
    text = "".join("".join(output.get("text", "")) for output in outputs)
    losses = losses_in(text)
    assert losses["ridge"] < losses["transformer"] < 0.5 * losses["untrained"] + 0.5 * losses["gradient_descent"]
    assert losses["transformer"] == pytest.approx(losses["gradient_descent"], rel=0.03)
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    assert text.startswith("The trained Transformer predicts as gradient descent.")
    stored = [output for cell in json.loads(NOTEBOOK.read_text())["cells"] for output in cell.get("outputs", [])]
    assert losses_in("".join("".join(output.get("text", "")) for output in stored)) == pytest.approx(losses, rel=0.05)


def losses_in(text: str) -> dict[str, float]:
    """{learner: loss} of the lines that the notebook prints."""
    rows = [line.split() for line in text.splitlines() if " loss " in line and "batch" not in line and "+-" in line]
    return {name: float(loss) for name, _, loss, *_ in rows}


def test_the_notebook_is_kept_with_the_outputs_of_one_execution():
    """By `jupyter execute --inplace --NotebookClient.record_timing=False`; nothing of the machine is in them."""
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    assert [output["output_type"] for cell in cells for output in cell["outputs"]].count("error") == 0
    assert all("print(" not in "".join(cell["source"]) or cell["outputs"] for cell in cells)
    assert not any(cell["metadata"] for cell in cells)
    assert NOTEBOOK.stat().st_size < 200_000
