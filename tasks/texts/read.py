"""Labelled texts, read from the files that settings name."""

import dataclasses
import hashlib
import math
import os
import pathlib

from tasks.datasets.cells import number_in
from tasks.datasets.files import data_file, is_limited, locate, sha256
from tasks.errors import DataError
from tasks.texts import files
from tasks.texts.form import Cells, Form, Item, text_of
from tasks.texts.known import KNOWN, MOVIE_REVIEWS, NAMES, OWN, of_columns
from tasks.texts.order import doubled, in_both, ordered, sample
from tasks.texts.settings import Draw, Texts

LINE = "\\n"  # as the command line has the end of a line


@dataclasses.dataclass(frozen=True)
class Labelled:
    """A data set as a model is asked it.

    Args:
        name: by which orders of its rows are drawn: a known data set's, or the checksum of the rows to demonstrate, so
            that names of files decide nothing.
        form: that of a row. words: the classes' words; empty where rows have answers of their own.
        train: the rows to demonstrate, and to choose by. test: those that are scored.
        notes: remarks for a reader of the results.
    """

    name: str
    form: Form
    words: tuple[str, ...]
    train: list[Item]
    test: list[Item]
    notes: tuple[str, ...] = ()


def form_of(settings: Texts) -> Form:
    """Return the form of the texts: that of a known data set, with what the settings change of it.

    Raises:
        DataError: there is no such data set, or the settings do not fit together.
    """
    forms = KNOWN | OWN
    if settings.dataset and settings.dataset not in forms:
        raise DataError(f"text.dataset={settings.dataset}: no such data set; allowed: {', '.join(forms)}")
    form = forms.get(settings.dataset, Form())
    same = ("query", "label", "draw", "examples", "answer", "tokens", "test")
    changes = {name: getattr(settings, name) for name in same}
    changes |= {"words": tuple(settings.labels), "values": tuple(settings.values)}
    changes |= {name: getattr(settings, name).replace(LINE, "\n") for name in ("template", "separator")}
    form = dataclasses.replace(form, **{name: value for name, value in changes.items() if value})
    if settings.choices:
        form = _with_choices(form, settings)
    if form.choice is not None and settings.labels:
        raise DataError("text.labels: rows have answers of their own; leave the words out")
    if form.choice is not None and settings.draw is Draw.per_class:
        raise DataError("text.draw=per_class: rows have answers of their own, and no classes; allowed: random")
    form.check(form.template)
    if len({*form.words}) < len(form.words):
        raise DataError(f"text.labels=[{','.join(form.words)}]: two classes have one word")
    return form


def _with_choices(form: Form, settings: Texts) -> Form:
    if len(settings.choices) < 2:
        raise DataError("text.choices: there must be at least two columns")
    template = form.template if settings.template or form.choice else "{query} {choice}"

    def read(cells: Cells):
        choice = of_columns(settings.choices, form.label, settings.values)(cells)
        return dataclasses.replace(choice, cells={**cells, "query": cells.get(form.query)})

    return dataclasses.replace(form, template=template, choice=read, draw=Draw.random, words=(), values=())


def fill_in(settings: Texts) -> None:
    """Set the files' SHA-256, which is part of a run's identity.

    Raises:
        DataError: a file is not there, or the settings have the checksums of other files.
    """
    digests = [_digest(part) for part in files_of(settings) if part]
    if settings.sha256 and settings.sha256 != digests:
        raise DataError(f"text.path={settings.path}: the SHA-256 of its files are other ones than text.sha256 says")
    settings.sha256 = digests


def _digest(part: list[pathlib.Path]) -> str:
    """Return the checksum of a split: that of its file, or of the checksums of its parts."""
    digests = [sha256(path) for path in part]
    return digests[0] if len(part) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def files_of(settings: Texts) -> tuple[list[pathlib.Path], list[pathlib.Path]]:
    """Return the files of the rows to demonstrate, none where these are among the test's, and of the test rows.

    Raises:
        DataError: one is not there.
    """
    form, path = form_of(settings), pathlib.Path(settings.path).expanduser()
    if not settings.path:
        raise DataError("text.path=FILE is not given: the file of the test rows, or the folder of the data set")
    if settings.path == MOVIE_REVIEWS.folder and not os.path.exists(path):
        path = locate(MOVIE_REVIEWS, None, is_limited())
    if not os.path.exists(path):
        raise DataError(f"text.path={settings.path}: no such file or folder")
    if not path.is_dir():
        return _train_file(settings), [data_file(path, f"text.path={settings.path}")]
    test = files.split_of(path, form.split, form.folders)
    if not test and not settings.dataset:
        test = files.split_of(path, "validation", form.folders)
    train = _train_file(settings) or files.split_of(path, form.train, form.folders)
    for split, parts in ((form.split, test), (form.train, train)):
        if not parts:
            names = ", ".join(files.SPLITS[split])
            raise DataError(f"text.path={settings.path}: there is no file of the split {split}; it is called {names} "
                            f"with one of {', '.join(files.SUFFIXES)}")  # fmt: skip
    for part in (*train, *test):
        data_file(part, f"text.path={part}")
    return train, test


def _train_file(settings: Texts) -> list[pathlib.Path]:
    return [data_file(settings.train, f"text.train={settings.train}")] if settings.train else []


def read(settings: Texts) -> Labelled:
    """Read the texts.

    Raises:
        DataError: a file is not there or damaged, or its rows do not fit the settings.
    """
    form, (train_files, test_files) = form_of(settings), files_of(settings)
    name = settings.dataset or _digest(train_files or test_files)
    test_cells = files.rows_of(test_files, "text.path")
    train_cells = files.rows_of(train_files, "text.train") if train_files else []
    classes = _classes(form, train_cells or test_cells, settings)
    words = form.words or classes if form.choice is None else ()
    where = f"text.path={test_files[0]}"
    test = [form.item(cells, classes, row, where) for row, cells in enumerate(test_cells)]
    if train_files:
        where = f"text.train={train_files[0]}"
        train = [form.item(cells, classes, row, where) for row, cells in enumerate(train_cells)]
        notes = (*doubled(train, "text.train"), *doubled(test, "text.path"))
        return Labelled(name, form, words, train, sample(test, name, form.test), (*notes, *in_both(train, test)))
    again, order = doubled(test, "text.path"), ordered(range(len(test)), f"{name}/halves", 0)
    train, test = ([test[row] for row in sorted(rows)] for rows in (order[: len(order) // 2], order[len(order) // 2 :]))
    if not train:
        raise DataError(f"text.path={settings.path}: one row alone, and none to demonstrate; give text.train=FILE")
    note = f"{len(train)} of {len(order)} rows are demonstrated and chosen by, the others are scored; text.train=FILE"
    notes = (f"{note} would keep all for the score", *again, *in_both(train, test))
    return Labelled(name, form, words, train, sample(test, name, form.test), notes)


def _classes(form: Form, rows: list[dict], settings: Texts) -> tuple[str, ...]:
    """Return the label's values in the order of the words; nothing where rows have answers of their own.

    Raises:
        DataError: there are not as many values as words, or fewer than two.
    """
    if form.choice is not None:
        return ()
    present = {
        text_of(cells, form.label, f"text.path, row {row + 1}", "text.label=NAME") for row, cells in enumerate(rows)
    }
    for names in (form.words, NAMES.get(settings.dataset, ())):
        if names and not settings.values and present <= {*names}:  # a value that is one of the words is that word
            return names
    classes = form.values or tuple(sorted(present, key=_number_or_text))
    if form.words and not form.values and len(form.words) != len(classes):
        values = ", ".join([*classes][:8])
        raise DataError(f"text.labels: {len(form.words)} words for the {len(classes)} values of {form.label}: {values}")
    if form.words and len(form.words) != len(classes):
        raise DataError(f"text.values: {len(classes)} values for the {len(form.words)} words of text.labels")
    if len(classes) < 2:
        raise DataError(f"{form.label} has the value {', '.join(classes)} alone; there must be at least two classes")
    if len(classes) > MOST_CLASSES:
        raise DataError(f"{form.label} has {len(classes)} values; at most {MOST_CLASSES} classes are asked for")
    return classes


MOST_CLASSES = 200  # a label that is a text of its own for each row is no class


def _number_or_text(value: str) -> tuple[bool, float, str]:
    number = number_in(value)
    return (True, 0.0, value) if math.isnan(number) else (False, number, value)
