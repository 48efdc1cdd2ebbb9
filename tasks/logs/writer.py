"""Sort interactions from the order of a file into a log, without holding all of them in memory.

They are appended to files block by block. Sorting holds 21 bytes per interaction in memory (user, time, split, place)
and the working memory of the sort. Features are read and written in sorted order block by block. The distinct users and
values are held in memory all the time.
"""

import contextlib
import json
import pathlib
from collections.abc import Iterable, Iterator

import numpy as np

from tasks.errors import DataError
from tasks.logs.codes import Codes, Vocabulary, vocabulary_of
from tasks.logs.log import ABSENT, ARRAYS, SPLITS
from tasks.logs.settings import ClickSplit

BLOCK = 1 << 16  # interactions that are in memory at a time
FEWEST = 10  # the fewest interactions of a log: a tenth of them is one
RAW = {"user": np.int32, "time": np.int64, "label": np.int8, "features": np.int32}
MANY = 0.5  # values per training interaction above which most values of a column will hardly occur again


class Writer(contextlib.ExitStack):
    """A writer of one log, whose files are closed at the end of the `with` block.

    users, and values (one per column): the numbers of users and values, which the arguments of `add` refer to.
    """

    def __init__(
        self,
        folder: pathlib.Path,
        where: str,
        columns: tuple[str, ...],
        slots: tuple[int, ...],
        split: ClickSplit,
        item=None,
        is_file_in_order: bool = True,
    ):
        """Create the folder and open its files.

        Args:
            folder: does not exist yet.
            where: the name of the source in messages.
            columns, slots, item: as in `ClickLog`.
            split: by time, or of each user.
            is_file_in_order: whether interactions of one user and time keep the order of the file; else it is random.
        """
        super().__init__()
        self.folder, self.where, self.columns, self.slots, self.item = folder, where, columns, slots, item
        self.split = split
        self.is_file_in_order = is_file_in_order
        self.users, self.values = Codes(), [Codes() for _ in columns]
        self.notes: list[str] = []
        folder.mkdir()
        self.files = {name: self.enter_context(self._raw(name).open("wb")) for name in RAW}

    def add(self, user: np.ndarray, time: np.ndarray, label: np.ndarray, features: np.ndarray) -> None:
        """Append r interactions: user, time, label (r,) and features (r, F), numbered by `users` and `values`."""
        block = {"user": user, "time": time, "label": label, "features": features}
        for name, kind in RAW.items():
            self.files[name].write(np.ascontiguousarray(block[name], kind).data)

    def finish(self) -> None:
        """Sort and split the interactions, after which `ClickLog.open` can read the folder.

        Raises:
            DataError: there are too few interactions, or different times, for three splits, or all training labels are
                equal.
        """
        self.close()
        time, label = self._read("time"), self._read("label")
        if len(time) < FEWEST:
            raise DataError(f"{self.where}: {len(time)} interactions; training, validation and test need {FEWEST}")
        user = self.users.rank()[self._read("user")]
        order = in_time(user, time, self.is_file_in_order)
        boundaries = self._boundaries(time) if self.split is ClickSplit.time else None
        split = _of_each_user(user[order], order) if boundaries is None else _by_time(time, boundaries)
        self._check_sizes(split)
        self._check_classes(label, split)
        np.save(self.folder / "bounds.npy", self._bounds(user, split))
        in_training = [self._in_training(column, split == 0) for column in range(len(self.columns))]
        self._note_vocabulary(in_training, int(np.sum(split == 0)))
        del split
        self._note_ties(user, time, order)
        del user
        self._write("time", (time[rows] for rows in _blocks(order)), time.shape)
        self._write("label", (label[rows] for rows in _blocks(order)), label.shape)
        del time, label
        vocabulary = vocabulary_of(self.values, in_training)
        self._write("features", self._features(order, vocabulary), (len(order), len(self.slots)))
        saved = {"columns": self.columns, "slots": self.slots, "starts": vocabulary.starts}
        saved |= {"item": self.item, "boundaries": boundaries, "notes": self.notes}
        (self.folder / "tokens.json").write_text(json.dumps(vocabulary.tokens), encoding="utf-8")
        (self.folder / "log.json").write_text(json.dumps(saved), encoding="utf-8")
        for name in RAW:
            self._raw(name).unlink()

    def _raw(self, name: str) -> pathlib.Path:
        return self.folder / f"{name}.raw"

    def _read(self, name: str) -> np.ndarray:
        return np.fromfile(self._raw(name), RAW[name])

    def _write(self, name: str, blocks: Iterable[np.ndarray], shape: tuple[int, ...]) -> None:
        """Write blocks to an .npy file by appending, since the pages of a memory map that is written to would count as
        this process's memory."""
        header = {"descr": np.lib.format.dtype_to_descr(np.dtype(ARRAYS[name])), "fortran_order": False, "shape": shape}
        with open(self.folder / f"{name}.npy", "wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
            for block in blocks:
                file.write(np.ascontiguousarray(block, ARRAYS[name]).data)

    def _boundaries(self, time: np.ndarray) -> tuple[int, int]:
        """Return the times of the interactions that are at 8 and 9 tenths of all interactions sorted by time."""
        places = [len(time) * 8 // 10, len(time) * 9 // 10]
        boundaries = np.partition(time, places)[places]
        if time.min() == boundaries[0] or boundaries[0] == boundaries[1]:
            three = "a split into training, validation and test by time"
            raise DataError(f"{self.where}: too many interactions of the same time for {three}")
        return int(boundaries[0]), int(boundaries[1])

    def _check_sizes(self, split: np.ndarray) -> None:
        """Raise a DataError if a split has no interaction: users with fewer than ten may have none to spare."""
        for name, count in zip(SPLITS, np.bincount(split, minlength=len(SPLITS)), strict=True):
            if not count:
                raise DataError(f"{self.where}: users have too few interactions for data.split=user: no {name} targets")

    def _check_classes(self, label: np.ndarray, split: np.ndarray) -> None:
        """Note the share of each split's labels that are 1, and raise a DataError if all training labels are equal."""
        for number, name in enumerate(SPLITS):
            here = label[split == number]
            share = here.mean()
            if share in (0, 1) and name == "train":
                raise DataError(f"{self.where}: every label of the training interactions is {here[0]}; two are needed")
            one = f", all of one class ({here[0]}): its AUC is undefined" if share in (0, 1) else f", {share:.1%} are 1"
            self.notes.append(f"{name}: {len(here):,} interactions{one}")

    def _bounds(self, user: np.ndarray, split: np.ndarray) -> np.ndarray:
        """Return the bounds (U, 4) as in `ClickLog`."""
        counts = [np.bincount(user[split == number], minlength=len(self.users)) for number in range(len(SPLITS))]
        counts = np.stack(counts, axis=1)
        ends = np.cumsum(counts.ravel()).reshape(counts.shape)
        return np.concatenate([ends[:, :1] - counts[:, :1], ends], axis=1)

    def _raw_features(self) -> np.ndarray:
        """Return the features (R, F) in the order of the file, numbered by `values`."""
        return np.memmap(self._raw("features"), RAW["features"], "r").reshape(-1, len(self.slots))

    def _in_training(self, column: int, training: np.ndarray) -> np.ndarray:
        """Return a mask of the column's values (len(values),) that a training interaction has.

        Args:
            training: (R,) bool, the training interactions in the order of the file.
        """
        raw, in_training = self._raw_features(), np.zeros(len(self.values[column]), bool)
        own = [feature for feature, slot in enumerate(self.slots) if slot == column]
        for first in range(0, len(training), BLOCK):
            rows = slice(first, first + BLOCK)
            codes = raw[rows][training[rows]][:, own]
            in_training[codes[codes != ABSENT]] = True
        return in_training

    def _features(self, order: np.ndarray, vocabulary: Vocabulary) -> Iterator[np.ndarray]:
        for rows in _blocks(order):
            codes = self._raw_features()[rows]
            tokens = [vocabulary.tables[column][codes[:, feature]] for feature, column in enumerate(self.slots)]
            yield np.stack(tokens, axis=1)

    def _note_ties(self, user: np.ndarray, time: np.ndarray, order: np.ndarray) -> None:
        blocks = (order[first : first + BLOCK + 1] for first in range(0, len(order), BLOCK))
        ties = sum(ties_of(user[rows], time[rows]) for rows in blocks)
        self.notes += note_of_ties(ties, len(order), self.is_file_in_order)

    def _note_vocabulary(self, in_training: list[np.ndarray], training: int) -> None:
        for name, values in zip(self.columns, in_training, strict=True):
            if values.sum() > MANY * training:
                count = f"{values.sum():,} values in {training:,} training interactions"
                self.notes.append(f"column {name} has {count}; if they are numbers, round them to a few values")


def _by_time(time: np.ndarray, boundaries: tuple[int, int]) -> np.ndarray:
    """Return the number of each interaction's split (R,) int8."""
    return (time >= boundaries[0]).astype(np.int8) + (time >= boundaries[1])


def _of_each_user(user: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the number of each interaction's split (R,) int8, in the order of the file.

    Args:
        user: (R,) sorted. order: (R,) the place in the file of each sorted interaction.
    """
    starts = np.flatnonzero(np.diff(user, prepend=-1))
    counts = np.diff(starts, append=len(user))
    place, count = np.arange(len(user)) - np.repeat(starts, counts), np.repeat(counts, counts)
    split = np.empty(len(user), np.int8)
    split[order] = (place >= count * 8 // 10).astype(np.int8) + (place >= count * 9 // 10)
    return split


def _blocks(order: np.ndarray) -> Iterator[np.ndarray]:
    for first in range(0, len(order), BLOCK):
        yield order[first : first + BLOCK]


def in_time(user_R: np.ndarray, time_R: np.ndarray, is_file_in_order: bool) -> np.ndarray:
    """Return the order (R,) of rows by user, time, and place in the file, or a random number where that means nothing.

    In most releases of MovieLens half of a user's ratings share a time with others, and the file has them by the number
    of the film: in the order of the file a later film would be told by its number.
    """
    if is_file_in_order:
        return np.lexsort((time_R, user_R))
    return np.lexsort((np.random.default_rng(0).permutation(np.arange(len(time_R), dtype=np.uint32)), time_R, user_R))


def ties_of(user_N: np.ndarray, time_N: np.ndarray) -> int:
    """Return how many rows, which are sorted, have the user and the time of the one before."""
    return int(np.sum((np.diff(user_N) == 0) & (np.diff(time_N) == 0)))


def note_of_ties(ties: int, rows: int, is_file_in_order: bool) -> list[str]:
    """Return a remark on such rows; none if there are none."""
    tied = "have the same time as the one before of their user: they are in"
    order = "the order of the file" if is_file_in_order else "random order, since the file's means nothing"
    return [f"{ties:,} of {rows:,} rows {tied} {order}"] if ties else []
