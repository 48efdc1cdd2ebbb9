"""Logs of the user's own."""

import csv
import pathlib
import re
from typing import Any

import numpy as np
import pytest

from tasks.datasets.cells import LONGEST
from tasks.errors import DataError
from tasks.logs import csv_log, csv_rows, writer
from tasks.logs.settings import ClickCsv, ClickSplit
from tests.command_line import python
from tests.tasks.logs import sizes
from tests.tasks.logs.streams import sorted_log, told_by, write_csv

COLUMNS: dict[str, Any] = {"user": "user", "time": "when", "label": "clicked", "features": ["category", "brand"]}
HEADER = "user,when,clicked,category,brand\n"
GOOD = HEADER + "".join(f"u{i % 3},{i},{i % 2},c{i % 4},b{i % 5}\n" for i in range(20))


def settings_of(tmp_path, **options):
    places: dict[str, Any] = {"path": str(tmp_path / "log.csv"), "cache": str(tmp_path / "cache")}
    return ClickCsv(**places | COLUMNS | options)


def read_text(tmp_path, text, **options):
    (tmp_path / "log.csv").write_text(text, encoding="utf-8")
    return csv_log.read(settings_of(tmp_path, **options))


def random_rows(rng, count=60):
    """Unsorted, with equal times, absent tokens, and tokens that come late."""
    users = [f"u{u}" for u in rng.integers(0, 7, count)]
    times = rng.integers(0, 40, count).tolist()
    labels = rng.integers(0, 2, count).tolist()
    pick = [[None, "a", "b", "c"], ["x", "y", *(f"rare{i}" for i in range(60))]]
    features = [tuple(each[rng.integers(0, len(each))] for each in pick) for _ in range(count)]
    return list(zip(users, times, labels, features, strict=True))


def write_rows(path: pathlib.Path, rows, delimiter=","):
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter=delimiter)
        table.writerow(["brand", "ignored", "clicked", "when", "user", "category"])
        for user, time, label, (category, brand) in rows:
            table.writerow([brand, "text; with, both", label, time, user, category or ""])


@pytest.mark.parametrize(("delimiter", "block"), [(",", 1 << 16), (";", 7), ("\t", 1)])
def test_a_log_is_what_plain_python_makes_of_it(delimiter, block, tmp_path, monkeypatch):
    """Whatever the order of the rows and of the columns, and however many rows are read at a time."""
    monkeypatch.setattr(csv_rows, "BLOCK", block)
    monkeypatch.setattr(writer, "BLOCK", block)
    for seed in range(8):
        rows = random_rows(np.random.default_rng(seed))
        write_rows(tmp_path / "log.csv", rows, delimiter)
        log = csv_log.read(settings_of(tmp_path))
        expected = sorted_log([*dict.fromkeys(rows)], (0, 1))
        number = {user: i for i, user in enumerate(sorted({row[0] for row in rows}))}
        assert told_by(log) == [(number[user], *rest) for user, *rest in expected]
        assert "unknown" in {row[3][1] for row in expected}
        assert log.vocabulary_size == len(log.tokens())
        assert log.num_users == len(number)
        assert sum(log.size.values()) == len(expected)


def test_tokens_do_not_depend_on_the_order_of_the_rows(tmp_path):
    rng = np.random.default_rng(0)
    rows = [(user, i, label, features) for i, (user, _, label, features) in enumerate(random_rows(rng))]
    result = []
    for order in (range(len(rows)), rng.permutation(len(rows))):
        write_rows(tmp_path / "log.csv", [rows[i] for i in order])
        result.append(csv_log.read(settings_of(tmp_path)))
    assert result[0].folder != result[1].folder
    for name in ("features", "label", "time", "bounds"):
        np.testing.assert_array_equal(getattr(result[0], name), getattr(result[1], name))
    assert result[0].tokens() == result[1].tokens()


def test_no_label_of_a_target_stands_in_its_context_because_a_row_was_written_twice(tmp_path):
    lines = GOOD.splitlines()
    twice = "\n".join([*lines[:5], lines[4], *lines[5:], lines[3], ""])
    plain, log = read_text(tmp_path, GOOD), read_text(tmp_path, twice)
    assert told_by(log) == told_by(plain)
    assert log.notes[0] == "2 rows repeat an earlier row in every cell, and are left out"
    assert not any("repeat" in note for note in plain.notes)


def test_no_token_of_the_future(tmp_path):
    """Every token but "unknown" occurs in a training interaction, and "unknown" in none."""
    write_csv(tmp_path / "log.csv", 400, 30)
    log = csv_log.read(settings_of(tmp_path, features=["category", "brand", "when"]))
    assert log.boundaries is not None
    training = log.time < log.boundaries[0]
    unknown = {*log.starts[:-1]}
    assert {*np.unique(log.features[training])} == {*range(log.vocabulary_size)} - unknown
    late = log.features[log.time > log.boundaries[0]][:, 2]
    assert {*late} == {log.starts[2]}
    assert any("column when has" in note for note in log.notes)


def test_the_splits_are_by_time_and_8_to_1_to_1(tmp_path):
    write_csv(tmp_path / "log.csv", 1000, 30)
    log = csv_log.read(settings_of(tmp_path))
    for place, allowed in enumerate((800, 100, 100)):
        assert abs([*log.size.values()][place] - allowed) < 5, "interactions of one second are in one split"
    rows = [np.concatenate([log.time[a:b] for a, b in log.bounds[:, s : s + 2]]) for s in range(3)]
    assert log.boundaries is not None
    assert rows[0].max() < log.boundaries[0] <= rows[1].min() <= rows[1].max() < log.boundaries[1] <= rows[2].min()


def test_a_log_without_a_header(tmp_path):
    names, rows = HEADER.strip().split(","), GOOD.removeprefix(HEADER)
    named, log = read_text(tmp_path, GOOD), read_text(tmp_path, rows, columns=names)
    assert told_by(log) == told_by(named)


def test_a_cell_of_any_length_that_a_text_may_have(tmp_path):
    """Python's reader alone stops at 131,072 characters."""
    log = read_text(tmp_path, GOOD.replace("c3,b3", f"{'c' * 300_000},b3", 1))
    assert "c" * 300_000 in log.tokens()


def test_one_user(tmp_path):
    log = read_text(tmp_path, re.sub(r"u\d", "only", GOOD))
    assert log.bounds.tolist() == [[0, 16, 18, 20]]


@pytest.mark.parametrize("user", ["0", "a user, with a comma", "ü", "None"])
def test_names_of_users(user, tmp_path):
    assert read_text(tmp_path, GOOD.replace("u0", f'"{user}"')).num_users == 3


def test_labels_by_a_threshold(tmp_path):
    text = GOOD.replace(",0,c", ",3.5,c").replace(",1,c", ",4,c")
    assert sorted(set(read_text(tmp_path, text, label_at_least=4).label.tolist())) == [0, 1]
    np.testing.assert_array_equal(
        read_text(tmp_path, text, label_at_least=4).label, read_text(tmp_path, GOOD, label_at_least=None).label
    )


def test_whole_numbers_in_other_words(tmp_path):
    one = read_text(tmp_path, re.sub(r"(u\d),(\d+)", r"\1,1\g<2>e9", GOOD).replace(",0,c", ",0.0,c"))
    assert one.time.min() == 10 * 10**9
    assert read_text(tmp_path, GOOD.replace("u0,0,", f"u0,{-(2**63)},")).time[0] == -(2**63)


FORMS = {  # how a time is written
    "milliseconds": lambda second: f"{978_300_000_000 + 1000 * second}",
    "ISO 8601": lambda second: f"2001-01-01T00:00:{second:02}",
    "a space and a fraction": lambda second: f"2001-01-01 00:00:00.{second:03}",
    "zones": lambda second: f"2001-01-01T{second % 5 + 1:02}:{second:02}:00+0{second % 5}:00",
}


@pytest.mark.parametrize("form", FORMS)
def test_times_of_any_form_are_one_log(form, tmp_path):
    log = read_text(tmp_path, GOOD)
    for name in ("features", "label", "bounds"):
        text = re.sub(r"(u\d),(\d+)", lambda match: f"{match[1]},{FORMS[form](int(match[2]))}", GOOD)
        np.testing.assert_array_equal(getattr(read_text(tmp_path, text), name), getattr(log, name))


LINES = GOOD.splitlines()
WRONG = {
    "an empty file": ("", {}, "the file has no rows"),
    "a header alone": (HEADER, {}, "0 interactions; .* need 10"),
    "too few rows": ("\n".join(LINES[:10]), {}, "9 interactions; .* need 10"),
    "no such user": (
        GOOD,
        {"user": "users"},
        r"data\.user=users: no such column; did you mean user\? allowed: user, w",
    ),
    "no such time": (GOOD, {"time": "t"}, r"data\.time=t: no such column; allowed: user, when, clicked"),
    "no such feature": (GOOD, {"features": ["brand", "x"]}, r"data\.features=x: no such column"),
    "a feature twice": (GOOD, {"features": ["brand", "brand"]}, r"data\.features=brand: named twice"),
    "the label as a feature": (GOOD, {"features": ["clicked"]}, r"data\.features=clicked: that is the label"),
    "two columns of a name": (GOOD.replace("brand", "user"), {"features": ["category"]}, "two columns have that name"),
    "nothing named": (GOOD, {"user": "", "features": []}, "data=click_csv needs .*; not given: user, features"),
    "a time of text": (GOOD.replace("u1,7,", "u1,noon,"), {}, r"data\.time=when: line 9 has 'noon', which is not a wh"),
    "a date among numbers": (GOOD.replace("u1,7,", "u1,2001-01-01,"), {}, "line 9 has '2001-01-01', which is not a wh"),
    "a number among dates": (GOOD.replace("u0,0,", "u0,2001-01-01,"), {}, "line 3 has '1', which is not a date as the"),
    "an item that is no feature": (GOOD, {"item": "user"}, "data.item=user: not among data.features=category,brand"),
    "a time of half a second": (GOOD.replace("u1,7,", "u1,7.5,"), {}, "line 9 has '7.5'"),
    "no time": (GOOD.replace("u1,7,", "u1,,"), {}, "line 9 has ''"),
    "an infinite time": (GOOD.replace("u1,7,", "u1,inf,"), {}, "line 9 has 'inf'"),
    "a time beyond 64 bits": (GOOD.replace("u1,7,", f"u1,{2**63},"), {}, "line 9 has '9223372036854775808'"),
    "a time of many digits": (GOOD.replace("u1,7,", f"u1,{'7' * 5000},"), {}, r"line 9 has '7{30}\.\.\.'"),
    "a label of text": (
        GOOD.replace("u1,7,1", "u1,7,yes"),
        {},
        r"data\.label=clicked: line 9 has 'yes', .* not 0 or 1",
    ),
    "a third label": (GOOD.replace("u1,7,1", "u1,7,2"), {}, r"'2', which is not 0 or 1; with data\.label_at_least"),
    "no label": (GOOD.replace("u1,7,1", "u1,7,"), {"label_at_least": 1}, "line 9 has '', which is not a number"),
    "one class": (GOOD, {"label_at_least": 0}, "every label of the training interactions is 1; two"),
    "no user": (GOOD.replace("u1,7,", ",7,"), {}, r"data\.user=user: line 9 has no user"),
    "a short row": (GOOD.replace("u1,7,", "u1;7,"), {}, "line 9 has 4 cells, the header has 5 names"),
    "one time": (re.sub(r"(u\d),\d+", r"\1,5", GOOD), {}, "too many interactions of the same time"),
    "another file": (GOOD, {"sha256": "0"}, r"not data\.sha256=0"),
    "a cell without an end": (GOOD.replace("u1,7,", '"u1,7,') + f"{'x' * 999}\n" * 17_000, {}, "not a table"),
    "a line without an end": (GOOD + "x" * (LONGEST + 1), {}, "a line has more than 16,777,216 characters"),
    "a time with a bar": (GOOD.replace("u1,7,", "u1,0_7,"), {}, "line 9 has '0_7', which is not a whole number"),
    "a time in other digits": (GOOD.replace("u1,7,", "u1,\uff17,"), {}, "line 9 has '\uff17'"),
    "a label with a bar": (GOOD.replace("u1,7,1", "u1,7,1_1"), {"label_at_least": 1}, "line 9 has '1_1', which is not"),
    "an infinite label": (GOOD.replace("u1,7,1", "u1,7,inf"), {"label_at_least": 1}, "line 9 has 'inf', which is not"),
    "no header": (
        "".join(f"{i % 3},{i},{i % 2}\n" for i in range(20)),
        {},
        r"its first line is no header, but numbers; .*'data\.columns=\[user,item,rating\]'",
    ),
    "too few names": ("1,2,3,4\n" * 9, {"columns": ["user", "when", "clicked"]}, "line 1 has 4 cells, data.columns"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_log_is_one_clear_line_and_leaves_nothing_behind(case, tmp_path):
    text, options, expected = WRONG[case]
    with pytest.raises(DataError, match=expected) as error:
        read_text(tmp_path, text, **options)
    assert "\n" not in str(error.value)
    assert not [*tmp_path.glob("cache/*")]


@pytest.mark.parametrize(("content", "expected"), [(None, "no such file"), (b"\xff\xfe\x00\x01", "UTF-8")])
def test_no_text_file(content, expected, tmp_path):
    if content:
        (tmp_path / "log.csv").write_bytes(content)
    with pytest.raises(DataError, match=expected):
        csv_log.read(settings_of(tmp_path))


def test_one_class_in_the_test_split_is_told(tmp_path):
    log = read_text(tmp_path, GOOD.replace("u0,18,0", "u0,18,1"))
    assert "test: 2 interactions, all of one class (1): its AUC is undefined" in log.notes


@pytest.mark.slow
def test_many_rows_in_bounded_memory(tmp_path):
    """Less than 80 bytes for each further row, of which 36 were measured: user, time, split, place and what sorting
    takes. The five cells as strings in a list would take more than 300."""
    mebibytes = []
    for rows in (100_000, 400_000):
        (tmp_path / str(rows)).mkdir()
        sizes.write(tmp_path / str(rows), rows)
        told = python("-m", "tests.tasks.logs.sizes", "click_csv", str(tmp_path / str(rows))).stdout
        mebibytes.append(int(re.findall(r"(\d+) MiB", told)[-1]))
    assert (mebibytes[1] - mebibytes[0]) * 2**20 / 300_000 < 80


def test_the_split_of_each_user(tmp_path):
    """User by user the interactions are cut at 8 and 9 tenths of their number, in time."""
    write_csv(tmp_path / "log.csv", 1000, 30)
    log = csv_log.read(settings_of(tmp_path, split=ClickSplit.user))
    by_time = csv_log.read(settings_of(tmp_path))
    np.testing.assert_array_equal(log.time, by_time.time, "the order of interactions does not depend on the split")
    assert log.boundaries is None
    for start, validation, test, end in log.bounds:
        count = end - start
        assert (validation, test) == (start + int(0.8 * count), start + int(0.9 * count))
        assert log.time[start:validation].max() <= log.time[validation:test].min(initial=int(log.time[test]))
        assert log.time[validation:test].max(initial=0) <= log.time[test:end].min()
    training = np.concatenate([log.features[start:validation] for start, validation, _, _ in log.bounds])
    assert {*np.unique(training)} == {*range(log.vocabulary_size)} - {*log.starts[:-1]}, "only their tokens are known"


def test_users_with_too_few_interactions_for_a_split_of_each(tmp_path):
    text = HEADER + "".join(f"u{user},{place},1,c,b\n" for user in range(20) for place in range(3))
    with pytest.raises(DataError, match=r"too few interactions for data\.split=user: no validation targets"):
        read_text(tmp_path, text, split=ClickSplit.user)
