"""A directory that somebody else made, of every kind: drawing it again follows nothing that leads out of it."""

import pathlib
import shutil

import pytest

from lab.config.kinds import KINDS
from tests.hostile import COMMON, check_refused, outside, replaced_by_links
from tests.tiny_runs import tiny_run


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_leads_out_of_a_directory_is_refused(kind, tmp_path_factory, tmp_path):
    """Each of its files and folders is a link to its like, one after the other; then whatever else may be planted."""
    tiny = tiny_run(tmp_path_factory, kind)
    links = {name: (plant, "is a symbolic link") for name, plant in replaced_by_links(tiny.directory)}
    assert {"summary.json", "figures", "report.html"} < links.keys()
    for number, (name, (plant, expected)) in enumerate((links | COMMON).items()):
        folder = tmp_path / str(number)
        directory = folder / pathlib.Path("runs", *tiny.directory.parts[-2:])
        shutil.copytree(tiny.directory, directory)
        plant(directory, outside(folder / "outside"))
        check_refused(folder, directory, expected if name in COMMON else f"{name.split('/')[0]}.* {expected}")
        shutil.rmtree(folder)
