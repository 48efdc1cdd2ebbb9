"""Which items users took, from files that the tests write, against plain Python."""

import collections
import itertools
from typing import Any

import jax
import numpy as np
import pytest

from tasks.errors import DataError
from tasks.item_sequences import Items
from tasks.logs import csv_log, csv_rows
from tasks.logs.settings import ItemCsv

COLUMNS: dict[str, Any] = {"user": "who", "time": "when", "item": "what"}


def settings_of(tmp_path, **options):
    return ItemCsv(**{"path": str(tmp_path / "log.csv")} | COLUMNS | options)


def read(tmp_path, rows, **options):
    """rows: (user, time, item, label)."""
    lines = ["label,what,when,who", *(f"{label},{item},{time},{user}" for user, time, item, label in rows)]
    (tmp_path / "log.csv").write_text("\n".join(lines) + "\n")
    return csv_log.read_items(settings_of(tmp_path, **options))


def expected(rows, fewest):
    """[(user's [item, ...], [time, ...])] in the order of the users' names, without rows that repeat others."""
    rows = dict.fromkeys(rows)
    counts = collections.Counter(item for _, _, item, _ in rows)
    by_user = {}
    for user, time, item, _ in sorted(rows, key=lambda row: (row[0], row[1])):  # stable: rows of the same time
        if counts[item] >= fewest:
            by_user.setdefault(user, []).append((item, time))
    return [tuple(map(list, zip(*each, strict=True))) for _, each in sorted(by_user.items())]


def told(taken):
    parts = [slice(*each) for each in itertools.pairwise(taken.starts)]
    return [([taken.names[number] for number in taken.items[part]], taken.times[part].tolist()) for part in parts]


def random_rows(seed, count=150):
    """Unsorted, with equal times, rare items and users of one row."""
    rng = np.random.default_rng(seed)
    items = np.where(rng.random(count) < 0.8, rng.integers(0, 6, count), rng.integers(6, 40, count))
    columns = rng.integers(0, 12, count), rng.integers(0, 30, count), items, rng.integers(1, 6, count)
    return [(f"u{user}", time, f"i{item}", label) for user, time, item, label in zip(*map(list, columns), strict=True)]


@pytest.mark.parametrize(("fewest", "longest"), [(1, 50), (5, 50), (5, 4)])
def test_a_log_is_what_plain_python_makes_of_it(fewest, longest, tmp_path):
    for seed in range(5):
        rows = random_rows(seed)
        taken = read(tmp_path, rows, fewest=fewest, longest=longest)
        assert told(taken) == expected(rows, fewest), "whatever is cut is cut after the split"
        assert list(taken.names) == sorted(taken.names)
        assert any("items with fewer" in note for note in taken.notes) == (fewest > 1)
        assert any("more than data.longest=4" in note for note in taken.notes) == (longest == 4)


def test_only_rows_with_high_labels(tmp_path):
    rows = random_rows(0)
    taken = read(tmp_path, rows, label="label", label_at_least=3, fewest=2)
    assert told(taken) == expected([row for row in rows if row[3] >= 3], 2)


def test_rows_that_repeat_others_are_left_out_and_counted(tmp_path, monkeypatch):
    """Whatever the number of rows that are read at a time; a row that differs in any column is another one."""
    rows = [("a", 1, "x", 1), ("a", 1, "x", 1), ("b", 1, "x", 1), ("a", 1, "x", 2), ("a", 2, "y", 1), ("a", 1, "x", 1)]
    for block in (1, 2, 1 << 16):
        monkeypatch.setattr(csv_rows, "BLOCK", block)
        taken = read(tmp_path, rows, fewest=1)
        assert told(taken) == [(["x", "x", "y"], [1, 1, 2]), (["x"], [1])]
        assert taken.notes[0] == "2 rows repeat an earlier row in every cell, and are left out"
        assert taken.notes[-1].startswith("1 of 4 rows have the same time")
    assert not any("repeat" in note for note in read(tmp_path, rows[2:5], fewest=1).notes)


def test_drawn_sequences_come_back(tmp_path):
    drawn = Items(num_items=8, num_context=5).log(jax.random.key(0), 60)
    rows = [
        (f"{u:02}", t, f"{item}", 1) for u, items in enumerate(np.asarray(drawn.items)) for t, item in enumerate(items)
    ]
    taken = read(tmp_path, rows, fewest=1)
    assert taken.names == tuple("01234567")
    np.testing.assert_array_equal(taken.items.reshape(60, 6), drawn.items)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("who,when,what\na,1,x\n", {}, "nothing can be learned from 0 items with data.fewest=5"),
        ("who,when,what\na,1,x\nb,1,y\n", {"fewest": 1}, "no user with two of them"),
        ("who,when,what\n", {}, "the file has no rows"),
        ("who,when,what\na,1,\n", {}, "data.item=what: line 2 has no item"),
        ("who,when,what\n,1,x\n", {}, "data.user=who: line 2 has no user"),
        ("who,when,what\na,soon,x\n", {}, "data.time=when: line 2 has 'soon', which is not a whole number"),
        ("who,when,that\na,1,x\n", {}, "data.item=what: no such column; did you mean that"),
        ("who,when,what\na,1,x\n", {"label": "when"}, "belong together"),
        ("who,when,what\na,1,x\n", {"item": ""}, "data=item_csv needs data.path=FILE data.user=COLUMN"),
    ],
)
def test_what_cannot_be_read_is_one_line(text, options, message, tmp_path):
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(DataError, match="data") as error:
        csv_log.read_items(settings_of(tmp_path, **options))
    assert message in str(error.value)
    assert "\n" not in str(error.value)
