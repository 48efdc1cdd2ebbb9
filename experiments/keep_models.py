"""The command that makes the kept models (`kept_models`): it runs the experiments of `kept/models.csv`.

python -m experiments.keep_models
python -m experiments.keep_models plain sine     these two, the others stay

Of a run these files are kept: its settings, summary and tables, and its trained learners. A model that is no longer in
the list is removed.
"""

import collections
import csv
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

import jax
import numpy as np

from analysis.metrics.alignment import mean_and_error
from analysis.metrics.answers import evaluate
from experiments import KEPT, api, kept_models
from lab.config.imported import ROOT
from lab.errors import names_allowed
from lab.runs.environment import environment

LIST = KEPT / "models.csv"
FILES = ("DONE", "config.yaml", "summary.json", "*.csv", "learner_*.npz")
EPISODES, BLOCK = 10_000, 1_000  # fresh episodes for the losses, and how many are answered at a time
KEY = 1_000  # the seed of their key


def listed() -> dict[str, dict[str, str]]:
    """Return {name: row} of the list: `overrides`, and `shows`, a sentence."""
    with open(LIST, newline="", encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def losses(run: api.OpenedRun, seed: int, episodes: int = EPISODES) -> dict[str, dict[str, float]]:
    """Return {learner: its mean loss on fresh episodes of the run's task, and the standard error}.

    Args:
        seed: of the key that draws the episodes.
        episodes: their number, rounded up to whole blocks.
    """
    learners, losses_of = run.learners(), collections.defaultdict(list)
    for key in jax.random.split(jax.random.key(seed), -(-episodes // BLOCK)):
        answers = evaluate(learners, {"test": run.task}, key, BLOCK, sensitivity=False)["test"]
        for name in learners:
            losses_of[name].append(answers[name].loss)
    statistics = {name: mean_and_error(np.concatenate(blocks)) for name, blocks in losses_of.items()}
    return {name: {key: float(each[key]) for key in ("mean", "stderr")} for name, each in statistics.items()}


def revision() -> str:
    """Return the revision of the code, and whether there are changes since."""
    now = environment()
    return now["git_revision"] + (", with changes" if now["git_modified"] else "")


def keep(name: str, row: dict[str, str], made_by: str) -> dict:
    """Run a row of the list, copy what is kept, and return its entry of the manifest.

    Args:
        made_by: the revision of the code.

    Raises:
        CalledProcessError: the run failed.
    """
    overrides = shlex.split(row["overrides"])
    with tempfile.TemporaryDirectory() as folder:
        places = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        subprocess.run(
            [sys.executable, "-m", "run", *overrides], cwd=folder, env=os.environ | {"PYTHONPATH": places}, check=True
        )
        (done,) = pathlib.Path(folder).glob("runs/*/*/DONE")
        shutil.rmtree(KEPT / name, ignore_errors=True)
        (KEPT / name).mkdir()
        for pattern in FILES:
            for path in done.parent.glob(pattern):
                shutil.copy(path, KEPT / name)
    run = api.load(str(KEPT / name))
    return {
        "shows": row["shows"],
        "command": shlex.join(["python", "run.py", *overrides]),
        "seed": run.settings.seed if hasattr(run.settings, "seed") else 0,
        "revision": made_by,
        "losses": losses(run, KEY),
        "files": kept_models.file_list(KEPT / name),
    }


def main(names: list[str]) -> None:
    """Make the named models, or all, and write the manifest after each."""
    rows = listed()
    if unknown := [name for name in names if name not in rows]:
        sys.exit(f"error: {unknown[0]}: no such model in {LIST}; {names_allowed(unknown[0], [*rows])}")
    made_by = revision()  # before files of this command are changes
    entries = {name: entry for name, entry in kept_models.manifest().items() if name in rows}
    for name in names or rows:
        entries[name] = keep(name, rows[name], made_by)
        ordered = {each: entries[each] for each in rows if each in entries}
        kept_models.MANIFEST.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    for path in KEPT.iterdir():  # when the manifest no longer names them
        if path.is_dir() and path.name not in rows:
            shutil.rmtree(path)


if __name__ == "__main__":
    main(sys.argv[1:])
