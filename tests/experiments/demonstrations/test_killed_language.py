"""Experiments on a language model that are killed twice: the same command goes on with the parts that it has stored."""

import contextlib
import pathlib
import shutil
from unittest import mock

import pytest

from lab.config.points import inputs
from lab.runs.directory import RunDirectory
from tests.command_line import lab_here
from tests.tiny_runs import prepared, tiny_run, words_of
from trainers.store import Partial

KINDS = ("language_choice", "language_deep_thinking", "language_dual", "language_examples", "language_finetune")


class Killed(BaseException):
    """In the place of a signal, which would end the tests too: nothing that the lab catches."""


@contextlib.contextmanager
def killed_after(left: int):
    """Yield the files of the parts that a run stores. It is killed behind the `left`th; 0: never."""
    names, write = [], Partial.write

    def write_and_die(self, name, *content):
        write(self, name, *content)
        names.append(name)
        if len(names) == left:
            raise Killed

    with mock.patch.object(Partial, "write", write_and_die):
        yield names


def tables(folder: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.csv") if path.name != "spent.csv"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_is_killed_twice_leaves_the_tables_of_one_that_is_not(kind, tmp_path_factory, tmp_path):
    tiny = tiny_run(tmp_path_factory, kind)
    for needed in inputs(prepared(kind, tmp_path)):
        directory = RunDirectory.of(needed.settings).path
        shutil.copytree(tiny.folder / directory, tmp_path / directory)
    stored = []
    for left in (1, 3):
        with killed_after(left) as names, pytest.raises(Killed):
            lab_here(*words_of(kind), cwd=tmp_path)
        stored += names
    with killed_after(0) as names:
        done = lab_here(*words_of(kind), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len({*stored, *names}) == len(stored) + len(names) > 4, "what was stored is not made again"
    assert tables(tmp_path / tiny.directory.relative_to(tiny.folder)) == tables(tiny.directory) != {}
