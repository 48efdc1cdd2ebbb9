"""Names, files that are whole or absent, numbers that JSON has."""

import contextlib
import json
import math
import os
import pathlib

import numpy as np
import pytest

from experiments.regression.comparison.settings import Comparison
from lab.config.base import Run
from lab.config.experiments import finished
from lab.config.identity import config_hash
from lab.errors import UserError
from lab.runs import own_files
from lab.runs.directory import RunDirectory
from lab.runs.files import Folder
from tasks.settings import Plain


def configured(tmp_path, **options):
    return Comparison(name="some", task=Plain(), run=Run(dir=str(tmp_path / "runs")), **options)


def test_what_is_written_is_read_back(tmp_path):
    directory = RunDirectory.of(configured(tmp_path))
    assert directory.path == tmp_path / "runs" / "some" / config_hash(configured(tmp_path))
    directory.begin(configured(tmp_path))
    directory.write_summary({"good": 1.5, "bad": [math.nan, {"worse": math.inf}]})
    assert directory.read_summary() == {"good": 1.5, "bad": [None, {"worse": None}]}
    directory.write_table("table", [{"a": 1, "b": "x"}, {"a": 2.5, "c": 3}])
    first, second = directory.read_table("table")
    assert first["a"] == 1
    assert first["b"] == "x"
    assert str(first["c"]) == "nan"
    assert (second["a"], second["c"]) == (2.5, 3)
    directory.append_metrics({"loss": math.inf})
    assert json.loads((directory.path / "metrics.jsonl").read_text()) == {"loss": None}
    assert not {path.name for path in directory.path.glob(".*")} - {".written"}, "no temporary file is left"


def test_nothing_is_written_into_a_file_that_has_another_name_elsewhere(tmp_path):
    """A hard link, as whoever made the directory may have left one in it: of every file, whatever is done then."""
    config = configured(tmp_path)
    directory = RunDirectory.of(config).unfinished

    def write():
        directory.append_metrics({"loss": 1.0})
        directory.write_summary({"numbers": {}})
        directory.write_table("table", [{"a": 1}])
        directory.write_arrays("arrays", {"a": np.zeros(2)})
        (directory.folder("model", ["config.json"]) / "config.json").write_text("{}")
        directory.write_text("figures/some.svg", "<svg/>")

    directory.begin(config)
    write()
    (elsewhere := tmp_path / "elsewhere").mkdir()

    def link():
        for path in (path for path in directory.path.rglob("*") if path.is_file()):
            (elsewhere / path.name).unlink(missing_ok=True)
            os.link(path, elsewhere / path.name)
        return {path.name: path.read_bytes() for path in elsewhere.iterdir()}

    for change in (write, lambda: directory.begin(config), write):
        linked = link()
        assert {"metrics.jsonl", ".written", "config.yaml"} <= linked.keys()
        with RunDirectory.of(config).locked(config):
            change()
        assert linked == {path.name: path.read_bytes() for path in elsewhere.iterdir()}
    assert (directory.path / "metrics.jsonl").read_text() == '{"loss": 1.0}\n'
    assert {"metrics.jsonl", "table.csv", "model/config.json"} < {*own_files.names(directory.path)}


def test_a_sweep_knows_its_points_that_are_done(tmp_path):
    one, two, whole = (RunDirectory.of(configured(tmp_path, seed=seed)) for seed in range(3))
    for directory in (one, two, whole):
        directory.begin(configured(tmp_path))
    one.finish()
    assert whole.points() == {}
    whole.write_table("points", [{"point": "seed=0", "run": one.path.name}, {"point": "seed=1", "run": two.path.name}])
    assert {name: directory.path for name, directory in whole.points().items()} == {"seed=0": one.path}


def result(path, text, table="table.csv"):
    """What a finished run or repetition leaves, and a file of the user's."""
    directory = RunDirectory(path)
    (path / "figures").mkdir(parents=True)
    directory.write_text("summary.json", text)
    directory.write_text(table, text)
    directory.write_text("figures/drawn.png", text)
    (path / "checkpoints").mkdir()
    (path / "checkpoints" / f"{STEPS[text]}.sha256").write_text(text)
    directory.finish()
    return directory


STEPS = {"old": 1, "new": 2}


def content(path):
    return {str(file.relative_to(path)): file.read_text() for file in path.rglob("*") if file.is_file()}


NEW = {name: "new" for name in ("summary.json", "other.csv", "figures/drawn.png", "checkpoints/2.sha256")} | {
    "DONE": "",
    "notes.md": "mine",
    ".written": "summary.json\nother.csv\nfigures/drawn.png\nDONE\n",
}


class Killed(BaseException):
    pass


def killed_at(moment, function, monkeypatch):
    """Call a function that is killed at one of its calls that change a file."""
    calls = iter(range(100))

    def counted(real):
        def call(*arguments, **options):
            if next(calls) == moment:
                raise Killed
            return real(*arguments, **options)

        return call

    with monkeypatch.context() as patched:
        for name in ("unlink", "rename", "replace", "rmdir"):
            patched.setattr(pathlib.Path, name, counted(getattr(pathlib.Path, name)))
        with contextlib.suppress(Killed):
            function()


@pytest.mark.parametrize("moment", range(24))
def test_a_repetition_takes_the_place_of_the_earlier_result_even_if_it_is_killed(moment, tmp_path, monkeypatch):
    """At each call that changes a file. Under the run's own name there is one of the results, whole, or none."""
    config = configured(tmp_path)
    directory = RunDirectory.of(config)
    result(directory.path, "old")
    (directory.path / "notes.md").write_text("mine")
    old = content(directory.path)
    result(directory.unfinished.path, "new", "other.csv")
    killed_at(moment, directory.take_place, monkeypatch)
    if directory.path.exists():
        now = content(directory.path)
        assert now in (old, NEW) or now | {"notes.md": "mine"} == NEW
    directory.settle(config)
    assert content(directory.path) == NEW
    assert [*directory.path.parent.iterdir()] == [directory.path]


def test_a_copy_of_a_run_and_what_a_link_leads_to_stay(tmp_path):
    """HASH.old is what a user calls a copy; a link by a name that the lab uses is refused and not followed."""
    config = configured(tmp_path)
    directory = RunDirectory.of(config)
    result(directory.path, "old")
    copy, elsewhere = directory.path.with_name(f"{directory.path.name}.old"), tmp_path / "elsewhere"
    for path in (copy, elsewhere):
        result(path, "old")
    before = content(copy)
    directory.settle(config)
    result(directory.unfinished.path, "new")
    directory.take_place()
    assert content(copy) == before
    for link in (own_files.replaced(directory.path), directory.unfinished.path):
        link.symlink_to(elsewhere)
        with pytest.raises(UserError, match="symbolic link"), directory.locked(config):
            pass
        own_files.merge(link, directory.path)
        RunDirectory(link).fail("refused")
        assert content(elsewhere) == before
        link.unlink()


@pytest.mark.parametrize("moment", range(16))
def test_an_outdated_result_beside_a_repetition_that_was_stopped_is_unfinished(moment, tmp_path, monkeypatch):
    """Killed at any moment too: what has the run's own name is done."""
    config = configured(tmp_path)
    directory = RunDirectory.of(config)
    result(directory.path, "old")
    result(directory.unfinished.path, "new")
    (directory.unfinished.path / "DONE").unlink()
    killed_at(moment, directory.reopen, monkeypatch)
    directory.settle(config)
    assert directory.done == directory.path.exists()
    if directory.done:
        directory.reopen()
    assert not directory.path.exists()
    assert content(directory.unfinished.path)["summary.json"] == "old"


def test_directories_under_a_temporary_name_are_not_among_the_finished(tmp_path):
    for name in ("abc", "def.tmp", ".ghi.replaced"):
        result(tmp_path / "plain" / name, "old")
    assert finished(tmp_path / "plain") == [tmp_path / "plain" / "abc"]


def test_what_an_earlier_version_left_half_way_under_the_final_name_goes_on(tmp_path):
    config = configured(tmp_path)
    directory = RunDirectory.of(config)
    result(directory.path, "old")
    (directory.path / "DONE").unlink()
    directory.settle(config)
    assert not directory.path.exists()
    assert (directory.unfinished.path / "checkpoints" / "1.sha256").exists()
    with directory.locked(config):
        directory.unfinished.begin(config)
        directory.unfinished.finish()
        directory.take_place()
    assert directory.done
    assert (directory.path / "checkpoints" / "1.sha256").exists()


def test_nothing_is_renamed_while_another_process_is_at_work(tmp_path):
    config = configured(tmp_path)
    directory = RunDirectory.of(config)
    with directory.locked(config):
        result(directory.unfinished.path, "new")
        directory.settle(config)
        assert not directory.path.exists()
    directory.settle(config)
    assert directory.done


def test_a_list_that_names_files_elsewhere_removes_none(tmp_path):
    (tmp_path / "mine").write_text("")
    directory = RunDirectory(tmp_path / "run")
    directory.path.mkdir()
    (directory.path / ".written").write_text(f"../mine\n{tmp_path / 'mine'}\nfigures/../../mine\n")
    directory.begin(configured(tmp_path))
    assert (tmp_path / "mine").exists()


def test_a_table_is_read_again_once_its_file_has_changed(tmp_path):
    folder = Folder(tmp_path)
    folder.write_table("losses", [{"seed": 1, "loss": 0.25}])
    os.utime(tmp_path / "losses.csv", ns=(0, 10**9))  # long ago, so that what is read is kept
    first = folder.read_table("losses")
    first[0]["loss"] = "changed by a reader"
    assert folder.read_table("losses") == [{"seed": 1.0, "loss": 0.25}]
    for loss, time in ((0.75, 2 * 10**9), (0.5, None)):  # of the same size; the last one now, and so is never kept
        folder.write_table("losses", [{"seed": 1, "loss": loss}])
        if time is not None:
            os.utime(tmp_path / "losses.csv", ns=(0, time))
        assert folder.read_table("losses") == [{"seed": 1.0, "loss": loss}]
