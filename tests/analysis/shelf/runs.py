"""Directories of runs as the lab leaves them, made without training, in `runs/` of a folder."""

import pathlib
from collections.abc import Mapping, Sequence

import numpy as np

from lab.config.compose import compose
from lab.config.identity import shown_differences, to_yaml
from lab.runs.directory import RunDirectory

NUMBERS = {"loss.transformer": 0.5, "loss.transformer.stderr": 0.1, "eta": 0.25}
CLAIM = {"statement": "It is one step.", "holds": True, "why": "", "otherwise": "", "criterion": "", "source": "x"}


def run(
    folder: pathlib.Path,
    name: str = "aaaaaaaaaa",
    words: Sequence[str] = (),
    numbers: Mapping[str, float] = NUMBERS,
    seeds: Sequence[dict] = (),
    losses: Mapping[int, Sequence[float]] | None = None,
    experiment: str = "plain",
    state: str = "done",
    **entries,
) -> RunDirectory:
    """A run.

    Args:
        seeds: the rows of seeds.csv.
        losses: {step: the loss of each seed}, for metrics.jsonl.
        state: done, stopped, or the reason of a failure.
        entries: of the summary.
    """
    directory = RunDirectory(folder / "runs" / experiment / name)
    (directory.path / "figures").mkdir(parents=True)
    settings = compose([f"experiment={experiment}", *words])
    directory.write_text("config.yaml", to_yaml(settings))
    for step, values in (losses or {}).items():
        members = [{"step": step, "seed": seed, "loss.transformer": value} for seed, value in enumerate(values)]
        directory.append_metrics({"seconds": 1.0, "members": members})
    if state == "done":
        if seeds:
            directory.write_table("seeds", seeds)
        summary = {"experiment": experiment, "kind": "comparison", "config_hash": name, "figure": "training"}
        summary |= {"command": f"python run.py experiment={experiment}", "settings": shown_differences(settings)}
        summary |= {"numbers": dict(numbers), "tables": ["seeds"] if seeds else [], "notes": [], "claims": [CLAIM]}
        directory.write_summary(summary | {"seconds": {"total": 12.0}, "answer": f"An answer of {name}."} | entries)
        directory.finish()
    elif state != "stopped":
        directory.fail(state)
    return directory


def seeded(values: Mapping[int, float], learner: str = "transformer") -> tuple[dict[str, float], list[dict]]:
    """The numbers and the rows of seeds.csv of a run with one loss per seed; another learner is beside it."""
    losses = np.array([*values.values()])
    stderr = losses.std(ddof=1) / np.sqrt(losses.size) if losses.size > 1 else 0.01
    numbers = {f"loss.{learner}": float(losses.mean()), f"loss.{learner}.stderr": float(stderr)}
    rows = [
        {"seed": seed, "evaluation": evaluation, "learner": each, "loss": loss + shift}
        for seed, loss in values.items()
        for evaluation, more in (("test", 0.0), ("alpha=2", 1.0))
        for each, shift in ((learner, more), ("mean", more + 2.0))
    ]
    return numbers, rows
