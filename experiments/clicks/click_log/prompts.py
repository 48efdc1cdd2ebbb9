"""Prompts of a log: n interactions of a user as the context, and the k that follow as the targets.

The targets of one user in one split are cut into groups of k; the last group of a user may be smaller. So each target
of a split is in exactly one prompt, whatever n and k are. The context is what precedes the first target, also from
earlier splits; a later target sees the earlier ones of its own prompt too. A prompt is padded to n + k interactions,
absent context in front and absent targets at the end, so that the targets are always the last k places.

Nothing is stored per prompt: its rows are computed from its number. The order of prompts in training is a pure function
of seed and step, so that a resumed run sees the same batches.
"""

import dataclasses
import functools
from collections.abc import Iterator

import numpy as np

from tasks.logs.log import ABSENT, SPLITS, ClickLog

NONE = -1  # the number of a prompt without interactions, which fills up a batch


@dataclasses.dataclass(frozen=True)
class Located:
    """The places of B prompts in a log, (B,) each.

    first: the row of the first target. targets: the number of targets, 1 to k, and 0 for `NONE`. context: the number of
    interactions in the context, 0 to n.
    """

    first: np.ndarray
    targets: np.ndarray
    context: np.ndarray


class Prompts:
    """The prompts of one split: "train", "validation" or "test"."""

    def __init__(self, log: ClickLog, split: str, num_context: int, num_targets: int):
        """Compute the numbers of the prompts of each user.

        Args:
            num_context: n >= 0. num_targets: k >= 1.
        """
        if num_context < 0 or num_targets < 1:
            raise ValueError(f"num_context={num_context} must be at least 0, num_targets={num_targets} at least 1")
        self.log, self.num_context, self.num_targets = log, num_context, num_targets
        place = SPLITS.index(split)
        self.user_starts = np.asarray(log.bounds[:, 0])
        self.first, self.end = np.asarray(log.bounds[:, place]), np.asarray(log.bounds[:, place + 1])
        each = -(-(self.end - self.first) // num_targets)
        self.starts = np.concatenate([[0], np.cumsum(each)])  # (U + 1,) the number of each user's first prompt

    def __len__(self) -> int:
        return int(self.starts[-1])

    @property
    def num_all_targets(self) -> int:
        """Return the number of targets of the split."""
        return int(np.sum(self.end - self.first))

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Return the rows of all targets of some prompts, one prompt after the other.

        Args:
            indices: (B,) numbers of prompts, or `NONE`.
        """
        located, places_k = self.locate(indices), np.arange(self.num_targets)
        return (located.first[:, None] + places_k)[places_k < located.targets[:, None]]

    def of(self, rows: np.ndarray) -> np.ndarray:
        """Return for each of these rows, which are targets of the split, the number of the prompt that it is in."""
        user = np.searchsorted(self.user_starts, rows, side="right") - 1
        return self.starts[user] + (rows - self.first[user]) // self.num_targets

    def locate(self, indices: np.ndarray) -> Located:
        """Return the places of some prompts in the log.

        Args:
            indices: (B,) numbers of prompts, or `NONE`.

        Raises:
            IndexError: there is no prompt with one of these numbers.
        """
        indices = np.asarray(indices, np.int64)
        if indices.size and not NONE <= indices.min() <= indices.max() < len(self):
            raise IndexError(f"the prompts have the numbers from 0 to {len(self) - 1}")
        numbers = np.maximum(indices, 0)
        user = np.searchsorted(self.starts, numbers, side="right") - 1
        first = self.first[user] + (numbers - self.starts[user]) * self.num_targets
        targets = np.minimum(self.num_targets, self.end[user] - first)
        context = np.minimum(self.num_context, first - self.user_starts[user])
        is_prompt = indices != NONE
        return Located(first, targets * is_prompt, context * is_prompt)

    def batch(self, indices: np.ndarray) -> dict[str, np.ndarray]:
        """Return the interactions of some prompts.

        Args:
            indices: (B,) numbers of prompts, or `NONE`.

        Returns:
            features (B, n + k, F) int32 and label (B, n + k) int32, both -1 where there is no interaction; is_target
            (B, k) bool, which is true where the last k places hold a target.
        """
        located = self.locate(indices)
        places_T = np.arange(-self.num_context, self.num_targets)
        exists_BxT = (places_T >= -located.context[:, None]) & (places_T < located.targets[:, None])
        rows_BxT = np.where(exists_BxT, located.first[:, None] + places_T, 0)
        return {
            "features": np.where(exists_BxT[:, :, None], self.log.features[rows_BxT], np.int32(ABSENT)),
            "label": np.where(exists_BxT, self.log.label[rows_BxT], ABSENT).astype(np.int32),
            "is_target": exists_BxT[:, self.num_context :],
        }


def batch_indices(num_prompts: int, seed: int, step: int, batch_size: int) -> np.ndarray:
    """Return the numbers of the prompts of one step of training (batch_size,).

    Epochs follow one another without a gap: each is a permutation of all prompts that depends on (seed, epoch), and a
    batch may begin in one epoch and end in the next. So each epoch has every prompt once, and all batches have one
    size.
    """
    if num_prompts < 1:
        raise ValueError("there are no prompts to draw from")
    place, end, parts = step * batch_size, (step + 1) * batch_size, []
    while place < end:
        epoch, first = divmod(place, num_prompts)
        count = min(end - place, num_prompts - first)
        parts.append(_permutation(num_prompts, seed, epoch)[first : first + count])
        place += count
    return np.concatenate(parts)


@functools.lru_cache(maxsize=2)  # one batch may need two permutations, which take 4 bytes per prompt each
def _permutation(num_prompts: int, seed: int, epoch: int) -> np.ndarray:
    kind = np.int32 if num_prompts <= np.iinfo(np.int32).max else np.int64
    order = np.random.default_rng([seed, epoch]).permutation(np.arange(num_prompts, dtype=kind))
    order.setflags(write=False)
    return order


def in_order(num_prompts: int, batch_size: int) -> Iterator[np.ndarray]:
    """Yield the numbers of all prompts once, for an evaluation, in batches (batch_size,) of which the last is filled up
    with `NONE`."""
    for first in range(0, num_prompts, batch_size):
        indices = np.arange(first, first + batch_size)
        yield np.where(indices < num_prompts, indices, NONE)
