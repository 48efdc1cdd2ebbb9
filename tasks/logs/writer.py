"""From interactions in the order of a file to a sorted log, without holding them in memory.

They are appended to files block by block. To sort them, 21 bytes per interaction are held (user, time, split, place),
and what sorting takes. Features are read and written to their places block by block. Distinct users and values stay.
"""

import contextlib
import json
import pathlib
from collections.abc import Iterable, Iterator

import numpy as np

from tasks.datasets.table import DataError
from tasks.logs.codes import Codes, Vocabulary
from tasks.logs.log import ABSENT, ARRAYS, SPLITS

BLOCK = 1 << 16  # interactions that are in memory at a time
FEWEST = 10  # of which a tenth is one
RAW = {"user": np.int32, "time": np.int64, "label": np.int8, "features": np.int32}
MANY = 0.5  # values per training interaction from which a column says little of the interactions to come


class Writer(contextlib.ExitStack):
    """users and values (one per column) number what `add` is given. The end of the context closes its files."""

    def __init__(self, folder: pathlib.Path, where: str, columns: tuple[str, ...], slots: tuple[int, ...]):
        """
        Args:
            folder: is made.
            where: how messages call the source.
            columns, slots: as in `ClickLog`.
        """
        super().__init__()
        self.folder, self.where, self.columns, self.slots = folder, where, columns, slots
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
        """Sort and split; afterwards `ClickLog.open` reads the folder.

        Raises:
            DataError: too few interactions or different times for three splits, or one class alone.
        """
        self.close()
        time, label = self._read("time"), self._read("label")
        boundaries = self._boundaries(time)
        split = (time >= boundaries[0]).astype(np.int8) + (time >= boundaries[1])
        self._check_classes(label, split)
        user = self.users.rank()[self._read("user")]
        np.save(self.folder / "bounds.npy", self._bounds(user, split))
        known = [self._known(column, split == 0) for column in range(len(self.columns))]
        self._note_vocabulary(known, int(np.sum(split == 0)))
        del split
        order = np.lexsort((time, user))
        self._note_ties(user, time, order)
        del user
        self._write("time", (time[rows] for rows in _blocks(order)), time.shape)
        self._write("label", (label[rows] for rows in _blocks(order)), label.shape)
        del time, label
        vocabulary = Vocabulary.of(self.values, known)
        self._write("features", self._features(order, vocabulary), (len(order), len(self.slots)))
        told = {"columns": self.columns, "slots": self.slots, "starts": vocabulary.starts}
        told |= {"boundaries": boundaries.tolist(), "notes": self.notes}
        (self.folder / "tokens.json").write_text(json.dumps(vocabulary.tokens), encoding="utf-8")
        (self.folder / "log.json").write_text(json.dumps(told), encoding="utf-8")
        for name in RAW:
            self._raw(name).unlink()

    def _raw(self, name: str) -> pathlib.Path:
        return self.folder / f"{name}.raw"

    def _read(self, name: str) -> np.ndarray:
        return np.fromfile(self._raw(name), RAW[name])

    def _write(self, name: str, blocks: Iterable[np.ndarray], shape: tuple[int, ...]) -> None:
        """An .npy file, appended to: pages of a memory map that is written to would count as this process's memory."""
        header = {"descr": np.lib.format.dtype_to_descr(np.dtype(ARRAYS[name])), "fortran_order": False, "shape": shape}
        with open(self.folder / f"{name}.npy", "wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
            for block in blocks:
                file.write(np.ascontiguousarray(block, ARRAYS[name]).data)

    def _boundaries(self, time: np.ndarray) -> np.ndarray:
        """(2,) the times of the interactions at 8 and 9 tenths of all, by time."""
        if len(time) < FEWEST:
            raise DataError(f"{self.where}: {len(time)} interactions; training, validation and test need {FEWEST}")
        places = [len(time) * 8 // 10, len(time) * 9 // 10]
        boundaries = np.partition(time, places)[places]
        if time.min() == boundaries[0] or boundaries[0] == boundaries[1]:
            three = "a split into training, validation and test by time"
            raise DataError(f"{self.where}: too many interactions of the same time for {three}")
        return boundaries

    def _check_classes(self, label: np.ndarray, split: np.ndarray) -> None:
        """There is nothing to learn from one class; where a test has one, some measures are undefined."""
        for number, name in enumerate(SPLITS):
            here = label[split == number]
            share = here.mean()
            if share in (0, 1) and name == "train":
                raise DataError(f"{self.where}: every label of the training interactions is {here[0]}; two are needed")
            one = f", all of one class ({here[0]}): its AUC is undefined" if share in (0, 1) else f", {share:.1%} are 1"
            self.notes.append(f"{name}: {len(here):,} interactions{one}")

    def _bounds(self, user: np.ndarray, split: np.ndarray) -> np.ndarray:
        """(U, 4), as in `ClickLog`."""
        counts = [np.bincount(user[split == number], minlength=len(self.users)) for number in range(len(SPLITS))]
        counts = np.stack(counts, axis=1)
        ends = np.cumsum(counts.ravel()).reshape(counts.shape)
        return np.concatenate([ends[:, :1] - counts[:, :1], ends], axis=1)

    def _raw_features(self) -> np.ndarray:
        """(R, F), in the order of the file."""
        return np.memmap(self._raw("features"), RAW["features"], "r").reshape(-1, len(self.slots))

    def _known(self, column: int, training: np.ndarray) -> np.ndarray:
        """(values of that column,) whether a training interaction has it."""
        raw, known = self._raw_features(), np.zeros(len(self.values[column]), bool)
        own = [feature for feature, slot in enumerate(self.slots) if slot == column]
        for first in range(0, len(training), BLOCK):
            rows = slice(first, first + BLOCK)
            codes = raw[rows][training[rows]][:, own]
            known[codes[codes != ABSENT]] = True
        return known

    def _features(self, order: np.ndarray, vocabulary: Vocabulary) -> Iterator[np.ndarray]:
        for rows in _blocks(order):
            codes = self._raw_features()[rows]
            tokens = [vocabulary.tables[column][codes[:, feature]] for feature, column in enumerate(self.slots)]
            yield np.stack(tokens, axis=1)

    def _note_ties(self, user: np.ndarray, time: np.ndarray, order: np.ndarray) -> None:
        ties = 0
        for first in range(0, len(order), BLOCK):
            rows = order[first : first + BLOCK + 1]
            ties += int(np.sum((np.diff(time[rows]) == 0) & (np.diff(user[rows]) == 0)))
        if ties:
            told = "have the time of their user's one before: their order is the file's"
            self.notes.append(f"{ties:,} of {len(order):,} interactions {told}")

    def _note_vocabulary(self, known: list[np.ndarray], training: int) -> None:
        for name, values in zip(self.columns, known, strict=True):
            if values.sum() > MANY * training:
                told = f"has {values.sum():,} values in {training:,} training interactions"
                self.notes.append(f"column {name} {told}; numbers are best rounded to a few")


def _blocks(order: np.ndarray) -> Iterator[np.ndarray]:
    for first in range(0, len(order), BLOCK):
        yield order[first : first + BLOCK]
