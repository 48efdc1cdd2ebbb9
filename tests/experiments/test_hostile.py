"""A directory that somebody else made: drawing it again follows nothing that leads out of it. No kind reads a directory
before it is checked as a whole (tests/analysis/test_foreign.py has sweeps, and sweeps of sweeps)."""

import os
import re
import shutil

import pytest

from analysis.report.redraw import redraw
from tests.hostile import COMMON, check_refused, moved, outside, state
from tests.tiny_runs import QUICK, tiny_run


@pytest.mark.parametrize("kind", QUICK)
def test_what_leads_out_of_a_directory_is_refused(kind, tmp_path_factory, tmp_path):
    """Each of its files and folders is a link to its like, one after the other; then whatever else may be planted."""
    tiny = tiny_run(tmp_path_factory, kind)
    place = tiny.directory.relative_to(tiny.folder)
    elsewhere, directory = outside(tmp_path / "links" / "outside"), tmp_path / "links" / place
    shutil.copytree(tiny.directory, directory)
    paths = sorted(directory.rglob("*"))
    assert {"summary.json", "figures", "report.html", ".written"} < {path.name for path in paths}
    for path in paths:
        with moved(path, elsewhere):
            check_refused(tmp_path, directory, f": {re.escape(str(path.relative_to(directory)))} is a symbolic link")
    shutil.rmtree(tmp_path / "links" / place / "checkpoints", ignore_errors=True)  # no attack below reads them
    for number, (plant, expected) in enumerate(COMMON.values()):
        folder = tmp_path / str(number)
        shutil.copytree(directory, folder / place)
        plant(folder / place, outside(folder / "outside"))
        check_refused(folder, folder / place, expected)


def test_a_file_with_another_name_elsewhere_is_replaced_and_not_written_into(tmp_path_factory, tmp_path):
    """By drawing again, of every file of a run."""
    tiny = tiny_run(tmp_path_factory, "comparison")
    directory, elsewhere = tmp_path / "0" / tiny.directory.name, tmp_path / "elsewhere"
    shutil.copytree(tiny.directory, directory)
    shutil.copytree(directory, elsewhere, copy_function=os.link)
    before = state(elsewhere)
    redraw([f"report={directory}"])
    assert state(elsewhere) == before
    assert not (directory / "report.html").samefile(elsewhere / "report.html")
