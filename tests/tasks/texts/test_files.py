"""Files of labelled texts as other programs and the hub write them, and what their names decide."""

import csv
import sys
import types

import pytest

from tasks.errors import DataError
from tasks.texts import order
from tasks.texts.read import fill_in, read
from tasks.texts.settings import Draw, Texts
from tests.tasks.texts.test_texts import ROWS, written

MANY = [{"text": f"text number {i}", "label": i % 2} for i in range(60)]


def drawn(labelled):
    """What a model is shown and asked."""
    places = order.demonstrations(labelled.train, labelled.name, 3, Draw.per_class, 4)
    return [labelled.train[place].shown for place in places], [item.prompt for item in labelled.test]


def test_what_a_file_is_called_decides_nothing(tmp_path):
    """The name is not in the run's hash; the contents are."""
    settings = []
    for name in ("mine.csv", "another.csv", "folder/test.csv"):
        path = written(tmp_path / name, MANY)
        settings.append(Texts(path=str(path), test=20))
    other = Texts(path=str(written(tmp_path / "other.csv", MANY[:-1])), test=20)
    for each in (*settings, other):
        fill_in(each)
    assert len({*(each.sha256[0] for each in settings)}) == 1
    mine, *same, changed = (drawn(read(each)) for each in (*settings, other))
    assert same == [mine, mine]
    assert changed != mine


def test_what_a_folder_is_called_decides_nothing(tmp_path):
    results = []
    for name in ("one", "two"):
        for split, rows in (("train", MANY), ("test", ROWS)):
            written(tmp_path / name / f"{split}.jsonl", rows)
        results.append(drawn(read(Texts(path=str(tmp_path / name)))))
    assert results[0] == results[1]


def test_the_checksums_say_which_rows_are_demonstrated(tmp_path):
    """Three files in the same order, of which the second is demonstrated or asked for."""
    checksums = []
    for name, files in {
        "one": ("train-00000-of-00002", "train-00001-of-00002", "test"),
        "two": ("train", "test-00000-of-00002", "test-00001-of-00002"),
    }.items():
        for number, file in enumerate(files):
            written(tmp_path / name / f"{file}.jsonl", MANY[number::3])
        settings = Texts(path=str(tmp_path / name))
        fill_in(settings)
        checksums.append(settings.sha256)
    assert checksums[0] != checksums[1]


SAID = ["plain", 'she said "bad" of it', '"all of it"', "a\ttab", "two\nlines", "it's 5\" wide"]


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize("suffix", [".tsv", ".csv"])
def test_quotes_that_a_program_has_added_are_no_part_of_a_text(quoting, suffix, tmp_path):
    path = tmp_path / f"a{suffix}"
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, delimiter="\t", quoting=quoting, lineterminator="\n")
        table.writerows([["text", "label"], *([text, number % 2] for number, text in enumerate(SAID))])
    items = read(Texts(path=str(path), train=str(path), template="{query}:{label}")).test
    assert [item.prompt for item in items] == [f"{text}:" for text in SAID]


@pytest.mark.parametrize("suffix", [".tsv", ".csv"])
@pytest.mark.parametrize("rows", [['"ok"', "fine"], ['"I" he said', '"ok"'], ['an inch is 1"', "b"], ["it's", '"']])
def test_quotes_of_a_text_stay(rows, suffix, tmp_path):
    """As in GLUE's files, which quote nothing."""
    path = tmp_path / f"a{suffix}"
    path.write_text("text\tlabel\n" + "".join(f"{text}\t{number}\n" for number, text in enumerate(rows)))
    items = read(Texts(path=str(path), train=str(path), template="{query}:{label}")).test
    assert [item.prompt for item in items] == [f"{text}:" for text in rows]


HASHES = "b42a775f407cee45", "0d33e1f3a0a8f1a1"
SPLITS = {  # case: (files that are the split train, or what the line says)
    "a hash": ([f"data/train-00000-of-00001-{HASHES[0]}.jsonl"], None),
    "hashes": ([f"train-0000{number}-of-00002-{HASHES[number]}.jsonl" for number in (0, 1)], None),
    "numbers": (["train-0.jsonl", "train-1.jsonl"], None),
    "a year": (["train-2017.jsonl"], None),
    "one of two": (["train-00000-of-00002.jsonl"], "missing, or there twice: there is train-00000-of-00002.jsonl"),
    "a part twice": ([f"train-00000-of-00001-{each}.jsonl" for each in HASHES], "missing, or there twice"),
    "two cuts": (["train-00000-of-00001.jsonl", "train-00000-of-00002.jsonl"], "missing, or there twice"),
    "whole and cut": (["train.jsonl", "train-00000-of-00001.jsonl"], "missing, or there twice"),
    "no hash": ([f"train-{HASHES[0]}.jsonl"], "no file of the split train"),
}


@pytest.mark.parametrize("case", SPLITS)
def test_a_split_has_each_of_its_parts_once(case, tmp_path):
    names, expected = SPLITS[case]
    for name in names:
        written(tmp_path / name, ROWS)
    written(tmp_path / "test.jsonl", ROWS)
    if expected is None:
        assert len(read(Texts(path=str(tmp_path))).train) == len(names) * len(ROWS)
        return
    with pytest.raises(DataError, match=expected):
        read(Texts(path=str(tmp_path)))


def test_texts_that_parquet_keeps_as_bytes_are_texts(tmp_path, monkeypatch):
    """pyarrow is no dependency; its reader is replaced by one that gives the rows."""
    rows = [{"text": f"größe {i}".encode(), "label": i % 2, "picture": b"\xff\xfe"} for i in range(4)]
    table = types.SimpleNamespace(to_pylist=lambda: rows)
    reader = types.SimpleNamespace(read_table=lambda path: table)
    monkeypatch.setitem(sys.modules, "pyarrow", types.SimpleNamespace(parquet=reader, ArrowException=ValueError))
    path = tmp_path / "test.parquet"
    path.write_bytes(b"PAR1")
    settings = Texts(path=str(path), train=str(path), template="{query}:{label}")
    assert [item.prompt for item in read(settings).test] == [f"größe {i}:" for i in range(4)]
    settings.query = "picture"
    with pytest.raises(DataError, match="row 1: picture is no text, but b"):
        read(settings)


def test_truth_values_are_spelled_as_in_the_file(tmp_path):
    path = str(written(tmp_path / "a.jsonl", [{"text": f"{i}", "label": i % 2 == 0} for i in range(4)]))
    assert read(Texts(path=path, train=path)).words == ("false", "true")
    assert [item.right for item in read(Texts(path=path, train=path, values=["true", "false"])).test] == [0, 1, 0, 1]


def test_rows_that_are_there_twice_are_told(tmp_path):
    train = str(written(tmp_path / "train.csv", [*MANY[:20], MANY[0], MANY[0]]))
    test = str(written(tmp_path / "test.csv", [*MANY[17:30], MANY[29], MANY[29] | {"label": 0}]))
    assert read(Texts(path=test, train=train)).notes == (
        "2 of 22 rows of text.train repeat an earlier one",
        "1 of 15 rows of text.path repeats an earlier one",
        "3 of 15 test rows are among the rows to demonstrate (text and answer)",
    )
    assert (
        read(Texts(path=str(written(tmp_path / "a.csv", MANY)), train=str(written(tmp_path / "b.csv", ROWS)))).notes
        == ()
    )


def test_rows_that_are_in_both_halves_of_a_file_are_told(tmp_path):
    labelled = read(Texts(path=str(written(tmp_path / "a.csv", [*MANY, *MANY]))))
    halves = [{item.row % 60 for item in part} for part in (labelled.train, labelled.test)]
    both = sum(item.row % 60 in halves[0] for item in labelled.test)
    assert labelled.notes[1] == "60 of 120 rows of text.path repeat an earlier one"
    assert labelled.notes[2] == f"{both} of 60 test rows are among the rows to demonstrate (text and answer)"


def test_a_text_is_as_long_as_it_is(tmp_path):
    """Python's reader of tables alone stops at 131,072 characters."""
    rows = [{"text": "x" * 300_000, "label": 0}, {"text": "y", "label": 1}]
    for suffix in (".csv", ".tsv"):
        path = str(written(tmp_path / f"a{suffix}", rows))
        assert read(Texts(path=path, train=path, template="{query} {label}")).test[0].prompt == "x" * 300_000
