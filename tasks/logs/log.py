"""A log of interactions, sorted by (user, time, row of the file), in memory-mapped arrays.

The tokens of all columns share one vocabulary: column c has the numbers from starts[c] to starts[c + 1] - 1. The first
of them is its "unknown" token, which stands for every value that no training interaction has; the others are the
column's values in sorted order. Several features may share a column (the genres of a film).

The splits are 8:1:1. By global time an interaction is a training target if it is earlier than the first boundary, a
validation target if it is earlier than the second, else a test target, and all interactions of one time are in one
split. By user the first 8 tenths of each user's interactions are training targets and the last tenth test targets.
"""

import dataclasses
import json
import pathlib

import numpy as np

SPLITS = ("train", "validation", "test")
ABSENT = -1  # the token of a feature that an interaction does not have
ARRAYS = {"features": np.int32, "label": np.int8, "time": np.int64, "bounds": np.int64}


@dataclasses.dataclass(frozen=True)
class ClickLog:
    """R interactions of U users with F features each.

    features (R, F) int32, `ABSENT` where an interaction has no such token; label (R,) int8, 0 or 1; time (R,) int64;
    bounds (U, 4) int64: user u's interactions are the rows bounds[u, 0] .. bounds[u, 3] - 1, those of split s the rows
    bounds[u, s] .. bounds[u, s + 1] - 1.

    columns: the names of the C columns. slots: (F,) the number of each feature's column. starts: (C + 1,) each column's
    first token, and the number of tokens. boundaries: the earliest times of a validation and of a test target; None
    where each user has their own.
    notes: remarks for a reader of the results. item: the place of the feature that is the item, if there is one.
    """

    folder: pathlib.Path
    features: np.ndarray
    label: np.ndarray
    time: np.ndarray
    bounds: np.ndarray
    columns: tuple[str, ...]
    slots: tuple[int, ...]
    starts: tuple[int, ...]
    boundaries: tuple[int, int] | None
    notes: tuple[str, ...]
    item: int | None = None

    @classmethod
    def open(cls, folder: pathlib.Path) -> "ClickLog":
        """Open the log in a folder.

        Raises:
            OSError, ValueError, KeyError: there is no whole log in that folder.
        """
        arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in ARRAYS}
        saved = json.loads((folder / "log.json").read_text(encoding="utf-8"))
        boundaries = saved["boundaries"]
        return cls(
            folder,
            **arrays,
            columns=tuple(saved["columns"]),
            slots=tuple(saved["slots"]),
            starts=tuple(saved["starts"]),
            boundaries=None if boundaries is None else (boundaries[0], boundaries[1]),
            notes=tuple(saved["notes"]),
            item=saved["item"],
        )

    @property
    def vocabulary_size(self) -> int:
        """Return the number of tokens of all columns."""
        return self.starts[-1]

    @property
    def num_users(self) -> int:
        return len(self.bounds)

    @property
    def size(self) -> dict[str, int]:
        """Return {split: the number of its targets}."""
        counts = np.diff(self.bounds, axis=1).sum(axis=0)
        return dict(zip(SPLITS, counts.tolist(), strict=True))

    def tokens(self) -> list[str | None]:
        """Return the value of each token of the vocabulary, None for a column's unknown values."""
        return json.loads((self.folder / "tokens.json").read_text(encoding="utf-8"))
