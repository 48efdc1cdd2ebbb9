"""Where the tables of a test are."""

import pytest

from lab.runs.directory import RunDirectory


@pytest.fixture
def directory(tmp_path):
    return RunDirectory(tmp_path)
