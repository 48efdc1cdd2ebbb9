"""Rows and columns of tables by short names."""

import pytest

from analysis.tables.select import (
    NotMeasured,
    Row,
    column,
    distinct,
    finished,
    group_by,
    numbers,
    rows_where,
    sort_by,
    table,
)
from lab.runs.directory import RunDirectory

ROWS = [
    Row({"part": "b", "task.num_documents": 5.0, "loss": 1.0}),
    Row({"part": "a", "task.num_documents": 2.0, "loss": 2.0}),
    Row({"part": "a", "task.num_documents": 5.0, "loss": 3.0}),
]


def test_a_column_by_its_last_word():
    assert column(ROWS, "num_documents") == "task.num_documents"
    assert [row["loss"] for row in rows_where(ROWS, {"part": "a", "num_documents": 5.0})] == [3.0]
    assert distinct(ROWS, "num_documents") == [2.0, 5.0]
    assert list(group_by(ROWS, "part")) == ["a", "b"]
    assert [row["loss"] for row in sort_by(ROWS, "num_documents")] == [2.0, 1.0, 3.0]


def test_cells_are_read_as_numbers_or_as_texts():
    assert numbers(ROWS, "loss") == [1.0, 2.0, 3.0]
    assert (ROWS[0].number("loss"), ROWS[0].text("part")) == (1.0, "b")
    for wrong, why in (
        (lambda: ROWS[0].number("part"), "part is 'b', which is not a number"),
        (lambda: ROWS[0].text("loss"), "loss is 1.0, which is not text"),
        (lambda: Row({"loss": ""}).number("loss"), "loss is empty"),
        (lambda: numbers(ROWS, "seed"), "there is no column seed"),
    ):
        with pytest.raises(NotMeasured, match=why):
            wrong()


def test_an_exact_name_wins_and_an_ambiguous_word_is_refused():
    assert column([Row({"eval.seed": 1.0, "seed": 2.0})], "seed") == "seed"
    with pytest.raises(NotMeasured, match=r"eval\.seed, data\.seed"):
        column([Row({"eval.seed": 1.0, "data.seed": 2.0})], "seed")


def test_what_is_not_there_is_not_measured(tmp_path):
    directory = RunDirectory(tmp_path)
    directory.write_table("empty", [])
    directory.write_table("points", [{"point": "x", "state": "failed"}])
    for wrong in (
        lambda: column(ROWS, "seed"),
        lambda: column([], "seed"),
        lambda: ROWS[0]["seed"],
        lambda: rows_where(ROWS, {"part": "c"}),
        lambda: table(directory, "curves"),
        lambda: table(directory, "empty"),
        lambda: finished(table(directory, "points")),
        lambda: table(directory, "points")[0]["loss"],
    ):
        with pytest.raises(NotMeasured):
            wrong()
