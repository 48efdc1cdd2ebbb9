"""Tiny runs, of which tests/test_paper.py has that of figure 2, give the tables that they gave before: the same columns
and numbers.

They were first kept before the redesign of November 2026 and stayed the same through it. On 22 November they were made
again, since every seed now has test episodes of its own, the rates of several steps are searched on all episodes,
several layers train with Muon, and tables have more rows and columns; the rest was the same to rounding.

Another processor or version rounds otherwise, which untrained learners and few episodes amplify, so here they agree to
a part in a thousand. Interpolations divide by a trace that is near zero before there is any training: left out.
"""

import pathlib

import pytest

from lab.config import points
from lab.runs.directory import RunDirectory
from tests.command_line import TINY
from tests.run_files import table
from trainers.launch import launch

GOLDEN = pathlib.Path(__file__).parent / "golden"
RUNS = {
    "plain": ["experiment=plain"],
    "rag_dot": ["experiment=rag_dot", "model.num_layers=2", "seeds=2"],
    "tabular": ["experiment=tabular"],
}


def cells(path):
    """{(row, column): text} without what interpolations are in."""
    return {
        (number, column): text
        for number, row in enumerate(table(path.parent, path.stem))
        if "interpolated" not in row.values()
        for column, text in row.items()
        if "interpolated" not in column
    }


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_tables_are_those_of_before(name, tmp_path, request):
    if name == "plain":  # one with programs as users get them, which take three times as long to compile
        request.getfixturevalue("optimized")
    point = points.point([*RUNS[name], *TINY, f"run.dir={tmp_path}"])
    launch(point)
    check_tables(name, RunDirectory.of(point.settings).path)


def check_tables(name: str, directory: pathlib.Path) -> None:
    """The tables of a run are those that were kept under a name."""
    for golden in sorted((GOLDEN / name).glob("*.csv")):
        expected, result = cells(golden), cells(directory / golden.name)
        assert expected.keys() == result.keys(), golden
        for place, text in expected.items():
            if (value := number(text)) is None:
                assert result[place] == text, (golden, place)
            else:
                assert number(result[place]) == pytest.approx(value, rel=1e-3, abs=1e-4, nan_ok=True), (golden, place)
