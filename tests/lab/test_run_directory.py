"""Names, files that are whole or absent, numbers that JSON has."""

import dataclasses
import json
import math

import pytest

from lab import config as configuration
from lab.config import Config, Run
from lab.errors import UserError
from lab.run_directory import RunDirectory, config_hash


def configured(tmp_path, **options):
    return Config(name="some", task=configuration.TASKS["plain"](), run=Run(dir=str(tmp_path / "runs")), **options)


def test_the_name_is_that_of_what_results_depend_on(tmp_path):
    one = configured(tmp_path)
    assert config_hash(one) == config_hash(dataclasses.replace(one, run=Run(dir="elsewhere", force=True)))
    assert config_hash(one) != config_hash(dataclasses.replace(one, seed=1))
    assert RunDirectory.of(one).path == tmp_path / "runs" / "some" / config_hash(one)


def test_what_is_written_is_read_back(tmp_path):
    directory = RunDirectory.of(configured(tmp_path))
    directory.begin(configured(tmp_path))
    directory.write_summary({"good": 1.5, "bad": [math.nan, {"worse": math.inf}]})
    assert directory.read_summary() == {"good": 1.5, "bad": [None, {"worse": None}]}
    directory.write_table("table", [{"a": 1, "b": "x"}, {"a": 2.5, "c": 3}])
    first, second = directory.read_table("table")
    assert first["a"] == 1
    assert first["b"] == "x"
    assert math.isnan(first["c"])
    assert (second["a"], second["c"]) == (2.5, 3)
    directory.append_metrics({"loss": math.inf})
    assert json.loads((directory.path / "metrics.jsonl").read_text()) == {"loss": None}
    assert not [path for path in directory.path.iterdir() if path.name.startswith(".")], "no temporary file is left"


def test_a_run_that_begins_again_keeps_nothing_but_its_parts(tmp_path):
    config = configured(tmp_path)
    directory = RunDirectory.of(config)
    directory.begin(config)
    directory.write_summary({})
    (directory.path / "figures" / "old.png").write_text("")
    directory.finish()
    directory.part("one").begin(config)
    directory.part("one").finish()
    assert directory.done
    directory.begin(config)
    assert not directory.done
    left = {str(path.relative_to(directory.path)) for path in directory.path.rglob("*") if path.is_file()}
    assert left == {"config.yaml", "environment.json"} | {
        f"parts/one/{name}" for name in ("config.yaml", "environment.json", "DONE")
    }


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "runs").write_text("in the way")
    with pytest.raises(UserError, match=r"run\.dir"):
        RunDirectory.of(configured(tmp_path)).begin(configured(tmp_path))
