"""Episodes of a table: rows of one split, no row twice, documents as a second implementation retrieves them."""

import collections
import dataclasses

import chex
import jax
import numpy as np
import pytest
import scipy.stats

from tasks.datasets import prepare
from tasks.datasets.catalogue import READERS
from tasks.datasets.settings import Data, Normalization
from tasks.datasets.table import Table
from tasks.errors import DataError
from tasks.settings import Context, Retrieval
from tasks.settings import Tabular as Settings
from tasks.tabular import Tabular, distinct
from tests.compiled import sampled

KEY = jax.random.key(0)
RNG = np.random.default_rng(0)
ROWS = 60


def some_table(**changes):
    """The first column tells the row."""
    x = np.column_stack([np.arange(ROWS), RNG.normal(size=(ROWS, 3))])
    table = Table(("row", "a", "b", "c"), x, RNG.normal(size=ROWS), split=(40, 20))
    return dataclasses.replace(table, **changes)


@pytest.fixture
def read(monkeypatch):
    """read(table, settings, normalisations) -> what a task of that table is drawn from."""

    def read_it(table, settings=None, how=(Normalization.minmax,)):
        monkeypatch.setitem(READERS, "some", lambda data: table)
        data = [Data("some", normalization=one) for one in how]
        return Tabular.read([settings or Settings(num_context=5)] * len(how), data)

    return read_it


def task_of(sources, settings=None):
    return Tabular.together([settings or Settings(num_context=5)] * len(sources), sources)[0]


def row_numbers(x, source):
    """Which rows of the table normalised inputs are: min-max maps the first column to itself, but for a scale."""
    low, scale = source.statistics["inputs.data_min_"][0], source.statistics["inputs.data_range_"][0]
    return np.rint(np.asarray(x)[..., 0] * scale + low).astype(int)


@pytest.mark.parametrize("context", list(Context))
def test_an_episode_has_different_rows_of_one_split(context, read):
    table, settings = some_table(), Settings(num_context=5, context=context)
    (source,) = read(table, settings)
    task = task_of([source], settings)
    rows = prepare.split(settings, Data("some"), table)
    assert not set(rows["train"]) & set(rows["test"])
    for name, each in (("train", task), *task.evaluations().items()):
        episodes = sampled(each, KEY, 2000)
        context, query = (row_numbers(inputs.x, source) for inputs in (episodes.prompt.context, episodes.prompt.query))
        everything = np.concatenate([context, query], axis=1)
        assert set(everything.ravel()) == set(rows[name]), "every row of the split, and no other"
        assert all(len(set(row)) == 6 for row in everything)
        y = (table.y - table.y[rows["train"]].mean()) / table.y[rows["train"]].std()
        np.testing.assert_allclose(episodes.prompt.answers[..., 0], y[context], atol=1e-5)
        np.testing.assert_allclose(episodes.target[..., 0], y[query], atol=1e-5)


@pytest.mark.parametrize("retrieval", list(Retrieval))
def test_documents_are_the_rows_of_the_training_split_that_score_highest(retrieval, read):
    """A plain sort of all products, of z-scored rows or of rows min-max normalised as the inputs are; the query is not
    its own document. What is shown of a row is z-scored either way."""
    table, settings = some_table(), Settings(num_context=5, num_documents=3, retrieval=retrieval)
    (source,) = read(table, settings)
    task = task_of([source], settings)
    rows = prepare.split(Settings(), Data("some"), table)
    train = table.x[rows["train"]]
    z = (table.x - train.mean(0)) / train.std(0)
    scored = z if retrieval is Retrieval.zscore else (table.x - train.min(0)) / np.ptp(train, axis=0)
    for each in (task, task.evaluations()["test"]):
        prompts = sampled(each, KEY, 50).prompt
        for query, documents in zip(row_numbers(prompts.query.x, source)[:, 0], prompts.documents, strict=True):
            others = [row for row in rows["train"] if row != query]
            best = sorted(others, key=lambda row, query=query: -scored[row] @ scored[query])[:3]
            np.testing.assert_allclose(documents, z[best], atol=1e-4)


def test_nearest_rows(read):
    """The smallest Euclidean distances between z-scored rows, by brute force."""
    table, settings = some_table(), Settings(num_context=5, context=Context.nearest)
    (source,) = read(table, settings)
    rows = prepare.split(settings, Data("some"), table)["test"]
    train = prepare.split(settings, Data("some"), table)["train"]
    z = (table.x - table.x[train].mean(0)) / table.x[train].std(0)
    prompts = task_of([source], settings).evaluations()["test"].sample(KEY, 50).prompt
    queries, contexts = (row_numbers(inputs.x, source) for inputs in (prompts.query, prompts.context))
    for query, context in zip(queries[:, 0], contexts, strict=True):
        others = sorted((row for row in rows if row != query), key=lambda row, q=query: np.sum((z[row] - z[q]) ** 2))
        assert set(context) == set(others[:5])


@pytest.mark.parametrize("how", list(Normalization))
def test_statistics_see_no_test_row(how, read):
    """Other test rows: the same statistics, corpus and training rows."""
    table = some_table()
    test = prepare.split(Settings(num_context=5), Data("some"), table)["test"]
    x, y = table.x.copy(), table.y.copy()
    x[test], y[test] = 1e3 * RNG.normal(size=(20, 4)), 1e3
    (one,), (other,) = read(table, how=(how,)), read(dataclasses.replace(table, x=x, y=y), how=(how,))
    chex.assert_trees_all_equal(one.statistics, other.statistics)
    chex.assert_trees_all_equal(vars(one.rows["train"]), vars(other.rows["train"]))
    np.testing.assert_array_equal(one.corpus, other.corpus)
    assert not np.allclose(one.rows["test"].x, other.rows["test"].x)


def test_tables_of_one_shape_are_one_program_and_are_held_once(read):
    """Tasks of several normalisations differ in one number, and none sees another's table."""
    how = list(Normalization)
    sources = read(some_table(), how=how)
    tasks = Tabular.together([Settings(num_context=5)] * len(how), sources)
    assert all(task.bank is tasks[0].bank for task in tasks)

    @jax.jit
    @chex.assert_max_traces(n=1)
    def sample(task):
        return sampled(task, KEY, 3).prompt

    for task, source in zip(tasks, sources, strict=True):
        chex.assert_trees_all_equal(sample(task), task_of([source]).sample(KEY, 3).prompt)
    chex.assert_trees_all_equal(sample(tasks[0]).documents, sample(tasks[1]).documents)
    assert not np.allclose(sample(tasks[0]).query.x, sample(tasks[1]).query.x)


def test_documents_retrieved_by_inputs_are_those_of_each_normalisation_alone(read):
    """What normalisations have in common is prepared once. By z-scored inputs they are the same as by z-score."""
    table, settings, how = some_table(), Settings(num_context=5, retrieval=Retrieval.inputs), list(Normalization)
    together = read(table, settings, how)
    for source, one in zip(together, how, strict=True):
        (alone,) = read(table, settings, (one,))
        np.testing.assert_array_equal(source.rows["test"].documents, alone.rows["test"].documents)
    documents = {one: source.rows["test"].documents for source, one in zip(together, how, strict=True)}
    assert not np.array_equal(documents[Normalization.zscore], documents[Normalization.minmax])
    (by_zscore,) = read(table, how=(Normalization.tanh,))
    np.testing.assert_array_equal(documents[Normalization.zscore], by_zscore.rows["test"].documents)


def test_statistics_of_the_inputs_are_those_of_the_normalised_training_rows(read):
    """The last column has a long tail, and the one before is constant."""
    x = np.column_stack([np.arange(ROWS), np.ones(ROWS), np.exp(2 * RNG.normal(size=ROWS))])
    (source,) = read(some_table(columns=("row", "constant", "tail"), x=x))
    for row, values in zip(source.inputs, source.rows["train"].x.T.astype(float), strict=True):
        quartiles = [row[name] for name in ("lower_quartile", "median", "upper_quartile")]
        np.testing.assert_allclose(quartiles, np.percentile(values, [25, 50, 75]), rtol=1e-5)
        skewness = 0.0 if row["column"] == "constant" else scipy.stats.skew(values)
        np.testing.assert_allclose(row["skewness"], skewness, rtol=1e-5, atol=1e-6)
    assert source.inputs[2]["skewness"] > 1


@pytest.mark.parametrize(("count", "available"), [(2, 4), (3, 3), (1, 2)])
def test_every_set_of_rows_is_equally_likely(count, available):
    result = np.asarray(distinct(KEY, 6000, count, available))
    sets = collections.Counter(tuple(sorted(row)) for row in result.tolist())
    assert all(len(set(one)) == count and set(one) <= set(range(available)) for one in sets)
    assert len(sets) == scipy.special.comb(available, count)
    assert scipy.stats.chisquare(list(sets.values())).pvalue > 1e-4 or len(sets) == 1


def test_split_of_a_tenth():
    assert some_table(split=None).split_sizes() == (54, 6)
    assert Table(("a",), np.zeros((4898, 1)), np.zeros(4898)).split_sizes() == (4408, 490)


WRONG = {
    "too long a context": (Settings(num_context=20), {}, "20 test rows of 60, an episode needs 21.*task.num_context"),
    "too many documents": (Settings(num_context=5, num_documents=40), {}, "40 training rows.*needs 41"),
    "nothing to predict": (Settings(num_context=5), {"y": np.ones(ROWS)}, "target is the same"),
    "a target too small": (Settings(num_context=5), {"y": 1e-300 * np.arange(ROWS)}, "target .* can square: .*power"),
    "constant inputs": (Settings(num_context=5), {"x": np.ones((ROWS, 4))}, "every input column is the same"),
    "inputs too small": (
        Settings(num_context=5),
        {"x": 1e-300 * np.arange(4 * ROWS).reshape(ROWS, 4)},
        "every input column .* can square: there is nothing to predict from",
    ),
    "inputs too large": (Settings(num_context=5), {"x": np.full((ROWS, 4), 1e300)}, r"too large .* in row, a, b, c$"),
    "too few rows are left": (
        Settings(num_context=20), {"notes": ("117 rows were left out",)}, "an episode needs 21.*117 rows were left out",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_table_that_will_not_do(case, read):
    settings, changes, expected = WRONG[case]
    with pytest.raises(DataError, match=expected):
        read(some_table(**changes), settings)


def test_what_was_fitted_maps_targets_and_documents_back(read):
    """The statistics that a run keeps: of the inputs by column, of the documents and of the target."""
    table = some_table()
    (source,) = read(table)
    kept = source.statistics
    assert kept["columns"].tolist() == list(table.columns)
    train = prepare.split(Settings(num_context=5), Data("some"), table)["train"]
    y = source.rows["train"].y * kept["target.scale_"] + kept["target.mean_"]
    np.testing.assert_allclose(y[:, 0], table.y[train], atol=1e-5)
    np.testing.assert_allclose(
        source.corpus * kept["documents.scale_"] + kept["documents.mean_"], table.x[train], atol=1e-4
    )


def test_a_constant_column_is_told(read):
    x = some_table().x
    x[:, 2] = 7.0
    (source,) = read(some_table(x=x))
    assert "some: constant in the training rows, so zero: b" in source.notes
    assert (source.rows["test"].x[:, 2] == 0).all()
