"""The tiny run of the kind that the folder of a test is called as; it is run once for all tests that ask for it."""

import pathlib

import pytest

from tests.tiny_runs import Tiny, tiny_run


@pytest.fixture(scope="module")
def tiny(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return tiny_run(tmp_path_factory, request.path.parent.name)


@pytest.fixture(scope="module")
def folder(tiny: Tiny) -> pathlib.Path:
    """The directory of that run."""
    return tiny.directory
