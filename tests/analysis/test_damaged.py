"""Directories of runs that are damaged, or that somebody else made: one line each from `report=DIR`."""

import json
import os

import numpy as np
import pytest

from analysis.report.redraw import redraw
from lab.errors import UserError
from tests.analysis import runs
from tests.page import check_page


def summary_with(**entries):
    def change(path):
        file = path / "summary.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | entries))

    return change


class Payload:
    """Makes a directory when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("executed",)


def pickled(path):
    np.savez(path / "circuits.npz", spectra=np.array([Payload()], dtype=object))
    (path / "weights.csv").write_text("layer\n1\n")


DAMAGE = {  # what is done to the directory, and what the line names
    "no config": (lambda path: (path / "config.yaml").unlink(), "it has no config.yaml"),
    "a foreign config": (lambda path: (path / "config.yaml").write_text("- a\n- b"), "config.yaml: damaged"),
    "a config that is no YAML": (lambda path: (path / "config.yaml").write_text("a: [b: }"), "config.yaml: damaged"),
    "a config of bytes": (lambda path: (path / "config.yaml").write_bytes(b"\xff\x00\x01"), "config.yaml: damaged"),
    "no environment": (lambda path: (path / "environment.json").unlink(), "environment.json: no such file"),
    "a foreign environment": (lambda path: (path / "environment.json").write_text("[1]"), "environment.json: damaged"),
    "another environment": (lambda path: (path / "environment.json").write_text("{}"), "damaged or of another version"),
    "no table": (lambda path: (path / "heights.csv").unlink(), "heights.csv: no such file"),
    "a table of bytes": (lambda path: (path / "heights.csv").write_bytes(b"\xff\xfe\x00"), "heights.csv: damaged"),
    "a table with a torn row": (lambda path: (path / "heights.csv").write_text("a,b\n1"), "heights.csv: damaged"),
    "an unknown figure": (summary_with(figure="nosuch"), "no such figure: nosuch"),
    "a figure that is a list": (summary_with(figure=["training"]), "summary.json: not a summary .*figure"),
    "a list for a summary": (lambda path: (path / "summary.json").write_text("[]"), "summary.json: damaged"),
    "a truncated summary": (lambda path: (path / "summary.json").write_text('{"a": '), "summary.json: damaged"),
    "an empty summary": (lambda path: (path / "summary.json").write_text("{}"), "summary.json: not a .*experiment"),
    "seconds in words": (summary_with(seconds={"total": "long"}), "damaged or of another version .*TypeError"),
    "points that are a list": (summary_with(points=[1]), "damaged or of another version"),
    "pickled arrays": (pickled, "circuits.npz: damaged, or not written by this lab"),
    "arrays that are none": (lambda path: (path / "circuits.npz").write_text("no"), "circuits.npz: damaged"),
}


@pytest.fixture
def directory(tmp_path):
    return runs.run(tmp_path / "runs" / "run", {"bounces": 1.0}, [{"time": 0, "height": 1}])


@pytest.mark.parametrize("case", DAMAGE)
def test_one_line(case, directory, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    damage, expected = DAMAGE[case]
    damage(directory.path)
    report = (directory.path / "report.html").read_bytes()
    with pytest.raises(UserError, match=expected) as error:
        redraw([f"report={directory.path}"])
    assert "\n" not in str(error.value)
    assert (directory.path / "report.html").read_bytes() == report
    assert not (tmp_path / "executed").exists()


def test_whatever_a_table_is_called_its_link_stays_here(directory):
    name = "javascript:alert(1)"
    directory.write_table(name, [{"a": 1}])
    directory.write_summary(directory.read_summary() | {"tables": [name]})
    redraw([f"report={directory.path}"])
    assert "./javascript%3Aalert%281%29.csv" in check_links(directory)


def check_links(directory):
    path = directory.path / "report.html"
    path.write_text(path.read_text().replace("</body>", f'<img alt="{"x" * 30}" src="data:,"></body>'))
    return check_page(path).links
