"""The examples: bash reads the script and the lab its words, and the notebooks run."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

from lab.config import compose
from lab.language import weights
from tests.command_line import ENVIRONMENT, ROOT
from tests.lab.language.folders import byte_level, random_model

SLURM = ROOT / "examples" / "slurm.sh"
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def test_bash_reads_the_script_and_the_lab_its_words():
    subprocess.run(["bash", "-n", str(SLURM)], check=True)
    lines = SLURM.read_text().replace("\\\n", " ").splitlines()
    (command,) = (line for line in lines if "run.py" in line and not line.startswith("#"))
    words = shlex.split(re.search(r'run\.py (.*) "\$@"', command)[1])
    config = compose.compose(words)
    assert config.hosts.auto
    asked = dict(re.findall(r"^#SBATCH --([a-z-]+)=(\S+)", SLURM.read_text(), flags=re.MULTILINE))
    assert config.seeds % (int(asked["nodes"]) * int(asked["ntasks-per-node"])) == 0


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


def execute(name: str, folder: pathlib.Path, **instead: str) -> list[dict]:
    """Execute a notebook of examples/ as Jupyter does, and return the outputs of its cells.

    In a process of its own, which keeps the event loop's warnings out of pytest. `instead` is {new text: old text} of
    its code.
    """
    notebook = json.loads((ROOT / "examples" / f"{name}.ipynb").read_text())
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        for small, large in instead.items():
            source = source.replace(large, small)
        cell["source"] = source
    given, executed = folder / "given.ipynb", folder / "executed.ipynb"
    given.write_text(json.dumps(notebook))
    script = (
        "import nbformat, nbclient, sys\n"
        "notebook = nbformat.read(sys.argv[1], as_version=4)\n"
        "nbclient.NotebookClient(notebook, timeout=900, kernel_name='python3').execute()\n"
        "nbformat.write(notebook, sys.argv[2])\n"
    )
    places = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = ENVIRONMENT | {"PYTHONPATH": places, "IPYTHONDIR": str(folder)}
    environment = {name: value for name, value in environment.items() if name not in ("PYTHONWARNINGS", "COLUMNS")}
    done = subprocess.run(
        [sys.executable, "-c", script, str(given), str(executed)],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return [output for cell in json.loads(executed.read_text())["cells"] for output in cell.get("outputs", [])]


def stored(name: str) -> list[dict]:
    cells = json.loads((ROOT / "examples" / f"{name}.ipynb").read_text())["cells"]
    return [output for cell in cells for output in cell.get("outputs", [])]


def text_of(outputs: list[dict]) -> str:
    return "".join("".join(output.get("text", "")) for output in outputs if output.get("name") != "stderr")


def pictures(outputs: list[dict]) -> int:
    return sum("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.slow
def test_learning_in_context(tmp_path):
    outputs = execute("in_context", tmp_path)
    text = text_of(outputs)
    losses = losses_in(text)
    assert losses["ridge"] < losses["transformer"] < 0.5 * losses["untrained"] + 0.5 * losses["gradient_descent"]
    assert losses["transformer"] == pytest.approx(losses["gradient_descent"], rel=0.03)
    assert pictures(outputs) == 2
    assert text.startswith("The trained Transformer predicts as gradient descent.")
    assert losses_in(text_of(stored("in_context"))) == pytest.approx(losses, rel=0.05)


@pytest.mark.slow
def test_a_layer_of_your_own(tmp_path):
    """What its text says: below gradient descent, and the preconditioned step's loss to a few thousandths."""
    outputs = execute("own_layer", tmp_path)
    rows = re.findall(r"^([a-z ]+?) +loss ([\d.]+)", text_of(outputs), re.MULTILINE)
    loss = {name: float(each) for name, each in rows}
    assert loss["rate per input"] == pytest.approx(loss["preconditioned"], abs=0.005)
    assert loss["rate per input"] < loss["gradient descent"] - 0.05
    assert pictures(outputs) == 2


@pytest.mark.slow
def test_data_of_your_own(tmp_path):
    """With fewer steps and episodes, so that words alone can be compared."""
    small = {'"train.steps=4", "eval.episodes=50", "train.batch_size=8"': '"train.steps=200", "train.batch_size=256"'}
    outputs = execute("own_data", tmp_path, **small)
    assert "The trained Transformer" in text_of(outputs)
    assert pictures(outputs) == 1
    assert list(tmp_path.glob("runs/tabular/*/DONE"))


@pytest.mark.slow
def test_a_language_model(tmp_path):
    """With a tiny one of random weights in a folder, in place of the model that pip fetches."""
    tokenizer = byte_level([], 260, ())
    weights.save(tmp_path / "model", random_model(vocab_size=260, max_position_embeddings=1024))
    tokenizer.save(str(tmp_path / "model" / "tokenizer.json"))
    outputs = execute("language_model", tmp_path, **{f'"{tmp_path / "model"}"': '"smollm2"'})
    assert re.findall(r"^ ?(\d+) demonstrations", text_of(outputs), re.MULTILINE) == ["0", "3", "6", "12"]
    assert pictures(outputs) == 1
    (table,) = tmp_path.glob("runs/language_examples/*/examples.csv")
    assert "your texts" in table.read_text()


def losses_in(text: str) -> dict[str, float]:
    """{learner: loss} of the lines that the notebook prints."""
    rows = [line.split() for line in text.splitlines() if " loss " in line and "batch" not in line and "+-" in line]
    return {name: float(loss) for name, _, loss, *_ in rows}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_with_the_outputs_of_one_execution(notebook):
    """By `jupyter execute --inplace --NotebookClient.record_timing=False`; nothing of the machine is in them. The first
    cell of code installs the lab where it is not importable."""
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    assert "%pip install" in "".join(cells[0]["source"])
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert [output["output_type"] for output in outputs].count("error") == 0
    assert not [output for output in outputs if output.get("name") == "stderr"]
    assert pictures(outputs) > 0
    assert all("print(" not in "".join(cell["source"]) or cell["outputs"] for cell in cells)
    assert not any(cell["metadata"] for cell in cells)
    assert notebook.stat().st_size < 200_000
