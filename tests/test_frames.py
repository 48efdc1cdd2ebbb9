"""From a command to a training step, and to a row of a table, it is twelve functions at most: short enough to read."""

import pathlib
import sys
import traceback

import run
from analysis.tables import rows
from tests.command_line import ROOT, TINY
from trainers import meta

LIMIT = 12


def frames():
    """The lab's own functions that are being called, without those of tests."""
    stack = traceback.extract_stack(sys._getframe(1))
    paths = [pathlib.Path(frame.filename) for frame in stack]
    own = [path.relative_to(ROOT).parts[0] for path in paths if path.is_relative_to(ROOT)]
    return len([top for top in own if top in ("run.py", "experiments", "trainers", "analysis", "lab", "tasks")])


def test_twelve_functions_from_the_command_to_a_step_and_to_a_row(tmp_path, monkeypatch):
    depth = {}

    def watched(name, function):
        def call(*arguments):
            depth.setdefault(name, frames())
            return function(*arguments)

        return call

    monkeypatch.setattr(meta, "averaged", watched("step", meta.averaged))  # what a step calls first
    monkeypatch.setattr(rows, "learner_rows", watched("row", rows.learner_rows))
    monkeypatch.setattr(sys, "argv", ["run.py", "experiment=plain", *TINY, f"run.dir={tmp_path}"])
    run.main()
    assert 3 < depth["step"] <= LIMIT, depth
    assert 3 < depth["row"] <= LIMIT, depth
