"""From a command to a training step, and to a row of a table, it is ten functions at most: short enough to read."""

import pathlib
import sys
import traceback

from analysis.tables import rows
from lab.config import points
from tests.command_line import ROOT, TINY
from trainers import meta
from trainers.launch import launch

LIMIT = 10
ENTRY = 1  # run.py's main, which calls `launch`


def frames():
    """The lab's own functions that are being called, the tests' left out."""
    stack = traceback.extract_stack(sys._getframe(1))
    paths = [pathlib.Path(frame.filename) for frame in stack]
    own = [path.relative_to(ROOT).parts[0] for path in paths if path.is_relative_to(ROOT)]
    return len([place for place in own if place in ("experiments", "trainers", "analysis", "lab", "tasks")])


def test_ten_functions_from_the_command_to_a_step_and_to_a_row(tmp_path, monkeypatch):
    depth = {}

    def watched(name, function):
        def call(*arguments):
            depth.setdefault(name, frames() + ENTRY)
            return function(*arguments)

        return call

    monkeypatch.setattr(meta, "averaged", watched("step", meta.averaged))  # what a step calls first
    monkeypatch.setattr(rows, "learner_rows", watched("row", rows.learner_rows))
    launch(points.point(["experiment=plain", *TINY, f"run.dir={tmp_path}"]))
    assert 3 < depth["step"] <= LIMIT
    assert 3 < depth["row"] <= LIMIT
