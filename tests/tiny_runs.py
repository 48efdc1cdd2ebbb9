"""The smallest run of every kind, by the words `TINY` of its settings: once for all tests and worker processes, in one
folder for all kinds, so that those that start from the same learners train them once."""

import contextlib
import dataclasses
import json
import pathlib
import signal
from collections.abc import Iterator
from unittest import mock

import pytest
from filelock import FileLock

from lab.config.kinds import KINDS
from lab.config.points import Point, inputs, point
from lab.runs import interrupt
from lab.runs.directory import RunDirectory
from tests.command_line import Outcome, lab_here, ran, shared_folder
from tests.sketch import small
from tests.tasks.logs.streams import write_csv

# Two kinds whose smallest run takes a few seconds: one that trains beside a baseline, and one that trains a decoder.
QUICK = ("comparison", "decoder")
EACH_KIND = [pytest.param(kind, marks=[] if kind in QUICK else [pytest.mark.slow]) for kind in sorted(KINDS)]


@dataclasses.dataclass(frozen=True)
class Tiny:
    """A run that nobody disturbed. Tests must not change its folder."""

    folder: pathlib.Path  # in which the command was called
    directory: pathlib.Path  # of the run or sweep
    outcome: Outcome
    checks: int  # how often it asked whether it should stop

    @property
    def summary(self) -> dict:
        return json.loads((self.directory / "summary.json").read_text())


def words_of(kind: str) -> list[str]:
    return [*KINDS[kind].schema.TINY]


def tiny_run(tmp_path_factory: pytest.TempPathFactory, kind: str) -> Tiny:
    """Return a kind's tiny run; it is run when the first test asks for it. Its own figure is drawn, with few pixels."""
    folder = shared_folder(tmp_path_factory, "tiny")
    with FileLock(f"{folder}_{kind}.lock"):
        kept = pathlib.Path(f"{folder}_{kind}.json")
        if not kept.exists():
            root = prepared(kind, folder)
            with contextlib.chdir(folder):
                needed = inputs(root)
            for each in needed:
                for other in KINDS:  # one of which may have the same words: it is to be counted there
                    if f"experiment={each.settings.name}" in words_of(other):
                        tiny_run(tmp_path_factory, other)
                ran(*each.words, cwd=folder)
            with small(), stopping() as asked:
                outcome = lab_here(*words_of(kind), cwd=folder)
            assert outcome.returncode == 0, outcome.stderr
            kept.write_text(json.dumps([str(RunDirectory.of(root.settings).path), dataclasses.asdict(outcome), *asked]))
    directory, outcome, checks = json.loads(kept.read_text())
    return Tiny(folder, folder / directory, Outcome(**outcome), checks)


def prepared(kind: str, folder: pathlib.Path) -> Point:
    """Write the log that the words name, if they name one, and return what the words ask for."""
    folder.mkdir(exist_ok=True)
    if "data.path=log.csv" in words_of(kind):
        write_csv(folder / "log.csv", 600, 12)
    with contextlib.chdir(folder):
        return point(words_of(kind))


@contextlib.contextmanager
def stopping(at: int = 0) -> Iterator[list[int]]:
    """Yield a list of one number, how often the run has asked whether it should stop; the `at`th time it should."""
    asked, real = [0], interrupt.check

    def check() -> None:
        asked[0] += 1
        if asked[0] == at:
            raise interrupt.Stopped(signal.SIGINT)
        real()

    with mock.patch.object(interrupt, "check", check):
        yield asked
