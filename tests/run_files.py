"""What every finished run and sweep is promised to leave, for tests of whole experiments."""

import csv
import json
import math
import pathlib

import pytest

from analysis import figures
from analysis.report.blocks import Number
from lab.config.compose import compose
from lab.config.override import axes
from tests.page import check_page

TIMES = ("seconds", "steps_per_second")


def directory_of(path: pathlib.Path) -> pathlib.Path:
    """That of the sweep, where there is one: its points are beside it."""
    directories = [result for result in path.glob("runs/*/*") if not result.parent.name.startswith(".")]
    sweeps = [directory for directory in directories if (directory / "points.csv").exists()]
    (directory,) = sweeps or directories
    return directory


def summary_of(directory: pathlib.Path) -> dict:
    return json.loads((directory / "summary.json").read_text())


def table(directory: pathlib.Path, name: str) -> list[dict[str, str]]:
    """The rows of a table, as texts."""
    with open(directory / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def without_times(summary):
    """The summary less what a clock says."""
    if not isinstance(summary, dict):
        return summary
    return {key: without_times(value) for key, value in summary.items() if key not in TIMES}


def corners(experiment: str, fixed: tuple[str, ...] = ()) -> list[str]:
    """A word that leaves of an experiment's grid the first and the last value of each key that is not fixed."""
    grid = axes(compose([f"experiment={experiment}"]).grid).items()
    ends = [f"{key}={values[0]},{values[-1]}" for key, values in grid if key not in fixed]
    return [f"grid={json.dumps(ends)}"] if ends else []


def check_experiment(directory: pathlib.Path, experiment: str, measured: bool | None = True) -> dict:
    """All that is promised, of an experiment on a tiny budget. `measured`: whether its claims have numbers; None: some
    of them."""
    summary = summary_of(directory)
    assert summary["experiment"] == experiment == directory.parent.name
    assert summary["config_hash"] == directory.name
    check_contract(summary)
    for file in ("DONE", "config.yaml", "environment.json", *(f"{table}.csv" for table in summary["tables"])):
        assert (directory / file).exists(), file
    assert bool(summary["claims"]) == bool(figures.claims_of(summary["figure"])[0])
    for claim in summary["claims"]:
        assert claim["statement"]
        assert claim["source"]
        assert measured is None or bool(claim["measured"]) == measured
        assert (claim["holds"] is None) == bool(claim["why"])
    assert summary["drawn"] == summary["figure"] or measured is False
    for suffix in ("png", "pdf"):
        assert list(directory.glob(f"figures/*.{suffix}"))
    check_page(directory / "report.html")
    text = (directory / "report.html").read_text()
    assert "git_revision" in text, "the environment"
    if summary["kind"] == "comparison":
        assert {"curves", "learners", "alignment", "layers"} <= {*summary["tables"]}
        assert list(directory.parent.rglob("learner_transformer.npz"))
        assert "line_search_episodes: 100" in text, "the configuration"
        for point in summary.get("points", {"": summary}).values():
            check_comparison(point)
            loss, name = point["learners"]["transformer"]["loss"], f"{point['reference']}.sensitivity_cosine"
            cosine = Number(point["numbers"][name], point["numbers"][f"{name}.stderr"])
            for number in (Number(loss["mean"], loss["stderr"]), cosine):
                assert number.text(5) in text or number.text(5, narrow=True) in text
    return summary


def check_contract(summary: dict) -> None:
    """What the summary of every run and sweep holds, of whatever kind."""
    assert {"experiment", "kind", "config_hash", "command", "figure", "tables", "notes", "seconds", "claims"} <= {
        *summary
    }
    if "points" in summary:
        assert summary["failed"] == {}
        for point in summary["points"].values():
            check_contract(point)
    else:
        assert all(value is None or isinstance(value, int | float) for value in summary["numbers"].values())


def check_comparison(summary: dict) -> None:
    """What the summary of a run that trains Transformers holds besides."""
    assert {"setup", "train", "evaluate", "total"} <= {*summary["seconds"]}
    assert summary["steps_per_second"] is None or summary["steps_per_second"] > 0
    references = {"gradient_descent", "constructed", "gd_plus_plus", "ridge", "least_squares"}
    if "further_descent" not in summary["learners"]:  # of interleaved tokens there is no interpolation
        references |= {"interpolated"}
    assert summary["learners"]["gd_plus_plus"]["by_step"]["eta"][0] > 0
    if any(note.startswith("no interpolated Transformer") for note in summary["notes"]):
        references -= {"interpolated"}
    assert {"transformer"} | references <= {*summary["learners"]}
    for name in ({"transformer"} | references) - {"interpolated"}:  # of an untrained one, it need not be finite
        assert math.isfinite(summary["learners"][name]["loss"]["mean"])
        assert summary["learners"][name]["loss"]["stderr"] >= 0
    assert summary["learners"]["gradient_descent"]["eta"] > 0
    for name in references - {"interpolated"}:
        metrics = {"prediction_l2", "sensitivity_cosine", "sensitivity_l2", "loss_difference"}
        assert all(math.isfinite(summary["numbers"][f"{name}.{metric}"]) for metric in metrics)
    on_features = "own_descent" in summary["learners"]  # then there is no oracle
    assert on_features or {"eta", "loss"} <= {*summary["oracle"]}
    # by construction, the same function: what differs is float32 rounding
    same = "own_descent" if on_features else "gradient_descent"
    constructed, descent = (summary["learners"][name] for name in ("constructed", same))
    assert constructed["loss"]["mean"] == pytest.approx(descent["loss"]["mean"], rel=1e-4)
