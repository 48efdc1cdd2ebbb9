"""From a table to what episodes are drawn from: split, normalised, and the neighbours of every row found once."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from tasks.datasets import neighbours, remarks
from tasks.datasets.catalogue import READERS
from tasks.datasets.normalization import Normalizer
from tasks.datasets.settings import Data, Normalization
from tasks.datasets.table import DataError, Table
from tasks.settings import Context, Retrieval, Tabular
from tasks.task import Source

VARIES = 0.5  # the deviation of z-scores that are not constant is one


@dataclasses.dataclass(frozen=True)
class Rows:
    """One split. x (R, F) and y (R, 1) normalised; slopes (R, F): the derivative of x with respect to z-scores;
    documents (R, K): the corpus rows that are retrieved for each row; nearest (R, N): each row's nearest others in its
    own split, if contexts are made of those, else (R, 0)."""

    x: np.ndarray
    slopes: np.ndarray
    y: np.ndarray
    documents: np.ndarray
    nearest: np.ndarray


@dataclasses.dataclass(frozen=True)
class Prepared(Source):
    """A table ready for episodes. rows: those of each split. corpus (R_train, F): the training rows, z-scored."""

    rows: dict[str, Rows] = dataclasses.field(kw_only=True)
    corpus: np.ndarray = dataclasses.field(kw_only=True)

    @property
    def splits(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        return {name: (rows.x, rows.y) for name, rows in self.rows.items()}


@dataclasses.dataclass(frozen=True)
class Splits:
    """What does not depend on the normalisation of the inputs: z-scored inputs, targets, nearest others and the numbers
    of the rows of each split; and its documents, None where the inputs' normalisation decides what is retrieved."""

    table: Table
    rows: dict[str, np.ndarray]
    zscore: Normalizer
    target: Normalizer
    z: dict[str, np.ndarray]
    y: dict[str, np.ndarray]
    documents: dict[str, np.ndarray] | None
    nearest: dict[str, np.ndarray]


def prepare(tasks: Sequence[Tabular], data: Sequence[Data]) -> list[Prepared]:
    """
    Raises:
        DataError: a data set cannot be read, or has fewer rows than an episode needs.
    """
    known: dict[str, Splits] = {}
    return [_normalised(task, each, _splits(task, each, known)) for task, each in zip(tasks, data, strict=True)]


def _normalised(task: Tabular, data: Data, splits: Splits) -> Prepared:
    table = splits.table
    normalizer = Normalizer.fit(data.normalization, table.x[splits.rows["train"]])
    constant = [name for name, is_so in zip(table.columns, normalizer.constant, strict=True) if is_so]
    constant_note = [f"constant in the training rows, so zero: {', '.join(constant)}"] if constant else []
    fitted = {"inputs": normalizer, "documents": splits.zscore, "target": splits.target}
    x = {name: normalizer(table.x[rows]).astype(np.float32) for name, rows in splits.rows.items()}
    slopes = {name: normalizer.slopes(table.x[rows]).astype(np.float32) for name, rows in splits.rows.items()}
    documents = neighbours.documents(x, task.num_documents) if splits.documents is None else splits.documents
    few = remarks.documents_of_tests(documents["test"], len(splits.rows["train"]))
    rows = {
        name: Rows(x[name], slopes[name], splits.y[name], documents[name], splits.nearest[name]) for name in splits.rows
    }
    return Prepared(
        notes=tuple(f"{data.name}: {note}" for note in (*table.notes, *constant_note, few)),
        statistics={"columns": np.array(table.columns)}
        | {f"{what}.{name}": value for what, each in fitted.items() for name, value in each.statistics.items()},
        inputs=tuple(_column(name, values) for name, values in zip(table.columns, rows["train"].x.T, strict=True)),
        rows=rows,
        corpus=splits.z["train"],
    )


def _column(name: str, values: np.ndarray) -> dict:
    """What a table says of a normalised input column; middle_90: the width of the interval between its 5% and 95%
    quantiles."""
    low, high = np.quantile(values, [0.05, 0.95])
    about = {"mean": values.mean(), "deviation": values.std(), "least": values.min(), "most": values.max()}
    return {"column": name} | {key: float(value) for key, value in (about | {"middle_90": high - low}).items()}


def _splits(task: Tabular, data: Data, known: dict[str, Splits]) -> Splits:
    """From `known`, where the same has been asked for before with another normalisation."""
    key = repr((task, dataclasses.replace(data, normalization=Normalization.zscore)))
    if key in known:
        return known[key]
    table = READERS[data.name](data)
    rows = split(task, data, table)
    _check_finite(table, data)
    zscore, target = (
        Normalizer.fit(Normalization.zscore, values[rows["train"]]) for values in (table.x, table.y[:, None])
    )
    z = {name: zscore(table.x[numbers]).astype(np.float32) for name, numbers in rows.items()}
    y = {name: target(table.y[numbers, None]).astype(np.float32) for name, numbers in rows.items()}
    _check_varies(y["train"], data, "the target is the same", "there is nothing to predict")
    _check_varies(z["train"], data, "every input column is the same", "there is nothing to predict from")
    near = task.num_context if task.context is Context.nearest else 0
    known[key] = Splits(
        table=dataclasses.replace(table, notes=(*table.notes, *remarks.rows_in_both(table, rows))),
        rows=rows,
        zscore=zscore,
        target=target,
        z=z,
        y=y,
        documents=neighbours.documents(z, task.num_documents) if task.retrieval is Retrieval.zscore else None,
        nearest={name: neighbours.nearest_others(inputs, near) for name, inputs in z.items()},
    )
    return known[key]


def _check_finite(table: Table, data: Data) -> None:
    """Squares of the values, too: a deviation is made of them."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.sum(np.column_stack([table.x, table.y]) ** 2, axis=0)
    large = [
        name for name, square in zip((*table.columns, "the target"), squares, strict=True) if not np.isfinite(square)
    ]
    if large:
        raise DataError(f"data={data.name}: values too large for a double's square in {', '.join(large)}")


def _check_varies(normalised: np.ndarray, data: Data, what: str, why: str) -> None:
    """A deviation of one is what z-scores have, unless their column is constant or differs too little for a double."""
    if np.all(normalised.std(axis=0) < VARIES):
        raise DataError(
            f"data={data.name}: {what} in all training rows, or differs there by less than a double can square: {why}; "
            "give other columns, or multiply them by a power of ten"
        )


def _told(table: Table) -> str:
    return f" ({'; '.join(table.notes)})" if table.notes else ""


def split(task: Tabular, data: Data, table: Table) -> dict[str, np.ndarray]:
    """The numbers of the training and of the test rows; none is in both."""
    from sklearn.model_selection import train_test_split

    context, documents = task.num_context + 1, task.num_documents + 1
    train, test = table.split_sizes()
    for name, rows, needed in (("training", train, max(context, documents)), ("test", test, context)):
        if rows < needed:
            raise DataError(
                f"data={data.name}: {rows} {name} rows of {len(table.y)}, an episode needs {needed}; "
                f"lower task.num_context or task.num_documents{_told(table)}"
            )
    parts = train_test_split(np.arange(len(table.y)), train_size=train, test_size=test, random_state=data.split_seed)
    return dict(zip(("train", "test"), parts, strict=True))
