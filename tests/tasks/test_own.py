"""Tables of the user's own."""

import pathlib

import pytest

from tasks.datasets import own
from tasks.datasets.cells import LONGEST
from tasks.datasets.settings import Csv
from tasks.errors import DataError


def read_own(tmp_path, text, target="y", **options):
    path = pathlib.Path(tmp_path) / "own.csv"
    path.write_text(text, encoding="utf-8")
    settings = Csv(path=str(path), target=target, **options)
    own.fill_in(settings)
    return own.read(settings)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_an_own_table(delimiter, tmp_path):
    text = "\ufeffa, b,y\n1,2,3\n4,5e1,6\n".replace(",", delimiter)
    result = read_own(tmp_path, text)
    assert result.columns == ("a", "b")
    assert result.x.tolist() == [[1, 2], [4, 50]]
    assert result.y.tolist() == [3, 6]
    assert result.notes == ()


def test_text_and_missing_values_are_left_out_and_told(tmp_path):
    result = read_own(tmp_path, "a,name,empty,y\n1,x,,3\nNA,y,,6\n7,z,,8\n9,w,,inf\n2,x,,4\n")
    assert result.columns == ("a",)
    assert result.x[:, 0].tolist() == [1, 7, 2]
    assert result.notes[0].startswith("columns left out, as they hold text or nothing: name, empty")
    assert result.notes[1].startswith("2 of 5 rows")


OF_PANDAS = "#N/A,#N/A N/A,#NA,-1.#IND,-1.#QNAN,-NaN,-nan,1.#IND,1.#QNAN,<NA>,N/A,NA,NULL,NaN,None,n/a,nan,null"


@pytest.mark.parametrize("missing", ["", *OF_PANDAS.split(","), "?", "-", "inf", "-Infinity", "1e999"])
def test_a_cell_that_pandas_takes_for_missing_leaves_out_its_row_alone(missing, tmp_path):
    """The list is that of the documentation of pandas.read_csv, and what this lab takes besides."""
    result = read_own(tmp_path, f"a,b,y\n1,2,3\n4,{missing},6\n7,8,9\n")
    assert result.columns == ("a", "b")
    assert result.x.tolist() == [[1, 2], [7, 8]]


@pytest.mark.parametrize("code", ["1_1", "\uff11\uff12", "0x10", "1e", "1,5", "infinite", "1 000", "1.5.2"])
def test_what_only_a_program_reads_as_a_number_is_text(code, tmp_path):
    result = read_own(tmp_path, f'a;b;y\n1;"{code}";3\n4;2;6\n')
    assert result.columns == ("a",)
    assert result.notes[0].startswith("columns left out, as they hold text or nothing: b")


@pytest.mark.parametrize(("cell", "number"), [(" -1.5E+3 ", -1500), ("+.5", 0.5), ("7.", 7), ("007", 7)])
def test_numbers(cell, number, tmp_path):
    assert read_own(tmp_path, f"a,y\n1,{cell}\n2,3\n").y.tolist() == [number, 3]


def test_one_text_in_a_column_of_numbers_is_shown(tmp_path):
    """A column is not lost without a word on what is wrong with it."""
    lines = [f"{i},{i},{i}" for i in range(40)]
    notes = read_own(tmp_path, "\n".join(["a,b,y", *lines, "4,about 3,4"])).notes
    assert notes[0].endswith("b has numbers but for 1 of 41 cells, such as 'about 3'")


def test_columns_without_a_name_and_repeated_rows_are_told(tmp_path):
    """As pandas writes row numbers."""
    result = read_own(tmp_path, ",a,y\n0,1,2\n1,1,2\n2,5,6\n")
    assert result.columns == ("a",)
    assert result.notes == (
        "the column without a name was left out",
        "1 of 3 rows repeat another, perhaps one of the other split",
    )


def test_a_header_with_delimiters_in_quotes(tmp_path):
    result = read_own(tmp_path, '\n"price (EUR, net), at, last";y\n1;2\n\n3;4\n')
    assert result.columns == ("price (EUR, net), at, last",)
    assert result.y.tolist() == [2, 4]


WRONG_TABLES = {
    "absent target": ("a,yy\n1,2\n", {}, r"data\.target=y: no such column; did you mean yy"),
    "target of text": ("a,y\n1,x\n", {}, r"data\.target=y: .* numbers"),
    "dropped target": ("a,y\n1,2\n", {"drop": ["y"]}, r"data\.target=y"),
    "unknown column to drop": ("a,y\n1,2\n", {"drop": ["b"]}, r"data\.drop=b: no such column; allowed: a, y"),
    "text alone": ("a,y\nx,2\n", {}, "no input column"),
    "an empty file": ("", {}, "no rows"),
    "a header alone": ("a,y\n", {}, "no rows"),
    "a row that is too short": ("a,b,y\n1,2,3\n1,2\n", {}, "line 3 has 2 cells"),
    "a line without end": ("a,y\n" + "1" * (LONGEST + 1), {}, "a line has more than 16,777,216 characters"),
    "a name twice": ("a,a,y\n1,2,3\n", {}, "two columns are called 'a'"),
    "another file": ("a,y\n1,2\n", {"sha256": "0"}, r"not data\.sha256=0"),
}


@pytest.mark.parametrize("case", WRONG_TABLES)
def test_a_wrong_table_is_one_clear_line(case, tmp_path):
    text, options, expected = WRONG_TABLES[case]
    with pytest.raises(DataError, match=expected) as error:
        read_own(tmp_path, text, **options)
    assert "\n" not in str(error.value)


def test_not_a_text_file(tmp_path):
    (tmp_path / "own.csv").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(DataError, match="UTF-8"):
        own.read(Csv(path=str(tmp_path / "own.csv"), target="y"))


def test_the_file_is_part_of_the_name_of_the_run(tmp_path):
    path = tmp_path / "own.csv"
    one, other = Csv(path=str(path), target="y"), Csv(path=str(path), target="y")
    path.write_text("a,y\n1,2\n")
    own.fill_in(one)
    path.write_text("a,y\n1,3\n")
    own.fill_in(other)
    assert one.sha256 != other.sha256
