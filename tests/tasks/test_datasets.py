"""The data sets as published."""

import numpy as np
import pytest

from tasks.datasets import files
from tasks.datasets.catalogue import READERS
from tasks.datasets.prepare import prepare
from tasks.datasets.settings import Bike, California, Calories, Color, Diabetes, Wine
from tasks.errors import DataError
from tasks.settings import Tabular

NOT_HERE = "tests do not download"


def table(settings, monkeypatch):
    """The table, if its files are here: a test downloads nothing."""

    def no_download(file, to):
        raise OSError(NOT_HERE)

    monkeypatch.setattr(files, "_download", no_download)
    try:
        return READERS[settings.name](settings)
    except DataError as error:
        if NOT_HERE not in str(error) and "needs an account" not in str(error):
            raise
        pytest.skip(f"set LAB_DATA_DIR: {error}")


# As their publishers and scikit-learn's documentation describe them.
PUBLISHED = {
    "diabetes": (Diabetes(), 442, 10, 152.133484),
    "california": (California(), 20_640, 8, 2.0685582),
    "bike": (Bike(), 17_379, 14, 3_292_679 / 17_379),
    "bike without what leaks": (Bike(drop_leakage=True), 17_379, 12, 3_292_679 / 17_379),
    "white wine": (Wine(), 4_898, 11, 5.877909),
    "red wine": (Wine(color=Color.red), 1_599, 11, 5.636023),
    "calories": (Calories(), 15_000, 7, 89.53953),
}


@pytest.mark.parametrize("case", PUBLISHED)
def test_figures_as_published(case, monkeypatch):
    settings, rows, columns, mean = PUBLISHED[case]
    result = table(settings, monkeypatch)
    assert result.x.shape == (rows, columns) == (len(result.y), len(result.columns))
    assert np.isfinite(result.x).all()
    assert result.y.mean() == pytest.approx(mean, rel=1e-6)


def test_california_is_capped(monkeypatch):
    result = table(California(), monkeypatch)
    assert np.sum(result.y >= 5.00001) == 965
    assert result.split_sizes() == (16_640, 2_000)


def test_bike_s_leak(monkeypatch):
    result, without = table(Bike(), monkeypatch), table(Bike(drop_leakage=True), monkeypatch)
    parts = [result.columns.index(name) for name in ("casual", "registered")]
    np.testing.assert_array_equal(result.x[:, parts].sum(axis=1), result.y)
    assert "drop_leakage" in result.notes[0]
    assert without.notes == ()
    assert set(result.columns) - set(without.columns) == {"casual", "registered"}
    assert result.split_sizes() == (15_641, 1_738)


def test_wine_s_duplicates(monkeypatch):
    result, without = table(Wine(), monkeypatch), table(Wine(drop_duplicates=True), monkeypatch)
    assert "937 of 4898" in result.notes[0]
    assert result.split_sizes() == (4_408, 490)
    rows = np.column_stack([without.x, without.y])
    assert len(np.unique(rows, axis=0)) == len(rows) == 4_898 - 937
    np.testing.assert_array_equal(rows[:3], np.column_stack([result.x, result.y])[:3])


def test_wine_s_test_rows_that_training_has_seen(monkeypatch):
    """Counted one by one; without repeated rows there is none, and no word of it."""
    result = table(Wine(), monkeypatch)
    (source,), (without,) = (prepare([Tabular()], [data]) for data in (Wine(), Wine(drop_duplicates=True)))
    seen, *_ = [note for note in source.notes if "equal to a training row" in note]
    assert seen.startswith("wine: 143 of 490 test rows")
    assert seen.endswith("data=wine data.drop_duplicates=true leaves out rows that repeat another")
    splits = source.splits
    train = {(*x, *y) for x, y in zip(*map(np.ndarray.tolist, splits["train"]), strict=True)}
    assert sum((*x, *y) in train for x, y in zip(*map(np.ndarray.tolist, splits["test"]), strict=True)) == 143
    assert len(train) + 143 < len(result.y)
    assert not any("equal to a training row" in note for note in without.notes)


def test_how_few_of_california_s_rows_are_retrieved(monkeypatch):
    table(California(), monkeypatch)
    (source,) = prepare([Tabular()], [California()])
    assert source.notes[-1] == (
        "california: the documents of all 2,000 test queries are 290 of the 16,640 training rows; "
        "the 10 most frequent make up 34.5% of them"
    )
