"""Prepare a table for episodes: split it, normalise it, and find the neighbours of every row once."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from tasks.datasets import neighbours
from tasks.datasets.catalogue import READERS
from tasks.datasets.columns import Inputs
from tasks.datasets.normalization import Normalizer
from tasks.datasets.settings import Data, Normalization
from tasks.datasets.table import Table
from tasks.errors import DataError
from tasks.settings import Context, Retrieval, Tabular
from tasks.task import Source

VARIES = 0.5  # z-scores have the standard deviation 1, or 0 if their column is constant: this is half-way


@dataclasses.dataclass(frozen=True)
class Rows:
    """The rows of one split.

    x (R, F) and y (R, 1): normalised. slopes (R, F): the derivative of x with respect to z-scores. documents (R, K):
    numbers of the corpus rows that are retrieved for each row. nearest (R, N): numbers of the rows of the same split
    that are nearest to each row; (R, 0) unless contexts are made of those.
    """

    x: np.ndarray
    slopes: np.ndarray
    y: np.ndarray
    documents: np.ndarray
    nearest: np.ndarray


@dataclasses.dataclass(frozen=True)
class Prepared(Source):
    """A table ready for episodes. rows: {split: its rows}. corpus: (R_train, F) the z-scored training rows."""

    rows: dict[str, Rows] = dataclasses.field(kw_only=True)
    corpus: np.ndarray = dataclasses.field(kw_only=True)

    @property
    def splits(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        return {name: (rows.x, rows.y) for name, rows in self.rows.items()}


@dataclasses.dataclass(frozen=True)
class Splits:
    """The parts of a prepared table that do not depend on the normalisation of the inputs, by split.

    rows: (R,) numbers of the table's rows. zscore, target: normalisers of inputs and targets. z (R, F), y (R, 1):
    z-scored inputs and targets. documents, nearest: as in `Rows`; documents is None if they do depend on it.
    """

    table: Table
    rows: dict[str, np.ndarray]
    zscore: Normalizer
    target: Normalizer
    z: dict[str, np.ndarray]
    y: dict[str, np.ndarray]
    documents: dict[str, np.ndarray] | None
    nearest: dict[str, np.ndarray]


def prepare(tasks: Sequence[Tabular], data: Sequence[Data]) -> list[Prepared]:
    """Return the prepared table of each run, given the settings of its task and of its data set.

    Raises:
        DataError: a data set cannot be read, or has fewer rows than an episode needs.
    """
    cache: dict[str, Splits] = {}
    return [_normalised(task, each, _splits(task, each, cache)) for task, each in zip(tasks, data, strict=True)]


def _normalised(task: Tabular, data: Data, splits: Splits) -> Prepared:
    table = splits.table
    normalizer = Normalizer(data.normalization, table.x[splits.rows["train"]])
    constant = [name for name, is_so in zip(table.columns, normalizer.constant, strict=True) if is_so]
    constant_note = [f"constant in the training rows, so zero: {', '.join(constant)}"] if constant else []
    fitted = {"inputs": normalizer, "documents": splits.zscore, "target": splits.target}
    x = {name: normalizer(table.x[rows]).astype(np.float32) for name, rows in splits.rows.items()}
    slopes = {name: normalizer.slopes(table.x[rows]).astype(np.float32) for name, rows in splits.rows.items()}
    documents = neighbours.documents(x, task.num_documents) if splits.documents is None else splits.documents
    corpora = {Retrieval.zscore.name: splits.z["train"], Retrieval.inputs.name: x["train"]}
    retrieval = neighbours.retrieval(normalizer, table.x[splits.rows["test"]], corpora, task.num_documents)
    few = neighbours.documents_of_tests(documents["test"], len(splits.rows["train"]))
    rows = {
        name: Rows(x[name], slopes[name], splits.y[name], documents[name], splits.nearest[name]) for name in splits.rows
    }
    return Prepared(
        notes=tuple(f"{data.name}: {note}" for note in (*table.notes, *constant_note, few)),
        statistics={"columns": np.array(table.columns)}
        | {f"{what}.{name}": value for what, each in fitted.items() for name, value in each.statistics.items()},
        inputs=tuple(_column(name, values) for name, values in zip(table.columns, rows["train"].x.T, strict=True)),
        retrieval=tuple(retrieval),
        rows=rows,
        corpus=splits.z["train"],
    )


def _column(name: str, values: np.ndarray) -> dict:
    """Return a row of inputs.csv."""
    low, lower, middle, upper, high = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95])
    exactly = values.astype(np.float64)  # cubes of single precision would lose digits
    deviations = exactly - exactly.mean()
    spread = exactly.std()
    return {
        Inputs.COLUMN: name,
        Inputs.MEAN: float(values.mean()),
        Inputs.DEVIATION: float(values.std()),
        Inputs.LEAST: float(values.min()),
        Inputs.MOST: float(values.max()),
        Inputs.MIDDLE_90: float(high - low),
        Inputs.LOWER_QUARTILE: float(lower),
        Inputs.MEDIAN: float(middle),
        Inputs.UPPER_QUARTILE: float(upper),
        Inputs.SKEWNESS: float(np.mean((deviations / spread) ** 3)) if spread > 0 else 0.0,
    }


def _splits(task: Tabular, data: Data, cache: dict[str, Splits]) -> Splits:
    """Return the splits, from the cache if they were computed before for another normalisation."""
    key = repr((task, dataclasses.replace(data, normalization=Normalization.zscore)))
    if key in cache:
        return cache[key]
    table = READERS[data.name](data)
    rows = split(task, data, table)
    _check_finite(table, data)
    zscore, target = (Normalizer(Normalization.zscore, values[rows["train"]]) for values in (table.x, table.y[:, None]))
    z = {name: zscore(table.x[numbers]).astype(np.float32) for name, numbers in rows.items()}
    y = {name: target(table.y[numbers, None]).astype(np.float32) for name, numbers in rows.items()}
    _check_varies(y["train"], data, "the target is the same", "there is nothing to predict")
    _check_varies(z["train"], data, "every input column is the same", "there is nothing to predict from")
    num_nearest = task.num_context if task.context is Context.nearest else 0
    cache[key] = Splits(
        table=dataclasses.replace(table, notes=(*table.notes, *neighbours.rows_in_both(table, rows))),
        rows=rows,
        zscore=zscore,
        target=target,
        z=z,
        y=y,
        documents=neighbours.documents(z, task.num_documents) if task.retrieval is Retrieval.zscore else None,
        nearest={name: neighbours.nearest_others(inputs, num_nearest) for name, inputs in z.items()},
    )
    return cache[key]


def _check_finite(table: Table, data: Data) -> None:
    """Raise a DataError if a value or its square, from which deviations are computed, is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.sum(np.column_stack([table.x, table.y]) ** 2, axis=0)
    large = [
        name for name, square in zip((*table.columns, "the target"), squares, strict=True) if not np.isfinite(square)
    ]
    if large:
        raise DataError(f"data={data.name}: values too large for a double's square in {', '.join(large)}")


def _check_varies(normalised: np.ndarray, data: Data, what: str, why: str) -> None:
    """Raise a DataError if every column of these z-scores is constant, or varies too little for a double.

    Args:
        what: the first words of the message. why: the consequence of it.
    """
    if np.all(normalised.std(axis=0) < VARIES):
        raise DataError(
            f"data={data.name}: {what} in all training rows, or differs there by less than a double can square: {why}; "
            "give other columns, or multiply them by a power of ten"
        )


def split(task: Tabular, data: Data, table: Table) -> dict[str, np.ndarray]:
    """Return {split: (R,)}, the numbers of the training and of the test rows, none of which is in both."""
    from sklearn.model_selection import train_test_split

    context, documents = task.num_context + 1, task.num_documents + 1
    train, test = table.split_sizes()
    notes = f" ({'; '.join(table.notes)})" if table.notes else ""
    for name, rows, needed in (("training", train, max(context, documents)), ("test", test, context)):
        if rows < needed:
            raise DataError(
                f"data={data.name}: {rows} {name} rows of {len(table.y)}, an episode needs {needed}; "
                f"lower task.num_context or task.num_documents{notes}"
            )
    numbers = np.arange(len(table.y))
    training_rows, test_rows = train_test_split(numbers, train_size=train, test_size=test, random_state=data.split_seed)
    return {"train": np.asarray(training_rows), "test": np.asarray(test_rows)}
