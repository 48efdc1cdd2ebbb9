"""`tabular`: a real table. Tokens are (x, y): N context rows and a query row, with documents retrieved for the query.

Training episodes are made of rows of the training split, those of the evaluation "test" of rows of the test split; no
row is in both. The context is `random`, N other rows of the split, or `nearest`, the N others at the smallest distance
from the query. The target is z-scored.

The documents are the z-scored inputs of the k training rows with the largest dot product with the query, which is not
among them. With retrieval `zscore` the dot products are of z-scored rows, so the normalisation of the inputs does not
change the documents; with retrieval `inputs` they are of rows normalised as the inputs are.

A `Bank` holds the tables of several runs, equal in shape but with other normalisations or splits, on the device once.
"""

import dataclasses
import enum
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from tasks import settings
from tasks.datasets.prepare import Prepared, prepare
from tasks.datasets.settings import Data
from tasks.episode import Episode, Inputs, Prompt
from tasks.regression import Regression
from tasks.settings import Context
from tasks.task import Shared, pytree


class Split(enum.Enum):
    """The rows of a table from which episodes are drawn."""

    train = "train"
    test = "test"


@struct.dataclass
class Bank(Shared):
    """The arrays of T tables of one shape.

    rows: {split: arrays}: x and slopes (T, R, F), y (T, R, 1), documents (T, R, K), nearest (T, R, N), as in
        `tasks.datasets.prepare.Rows`. corpus: (T, R_train, F) z-scored training rows.
    """

    rows: dict[str, dict[str, jax.Array]]
    corpus: jax.Array

    @classmethod
    def of(cls, prepared: Sequence[Prepared]) -> "Bank":
        """Return the bank of T prepared tables."""
        each = [({name: vars(rows) for name, rows in one.rows.items()}, one.corpus) for one in prepared]
        return cls(*jax.tree.map(lambda *arrays: jnp.asarray(np.stack(arrays)), *each))


@pytree
@dataclasses.dataclass
class Tabular(settings.Tabular, Regression):
    bank: Bank = dataclasses.field(kw_only=True)
    table: jax.Array = dataclasses.field(kw_only=True)  # () number of the table in the bank
    split: Split = Split.train
    answer_dim = 1
    finite = True

    @classmethod
    def read(cls, settings: Sequence[settings.Tabular], data: Sequence[Data]) -> list[Prepared]:
        return prepare(settings, data)

    @classmethod
    def together(cls, settings: Sequence[settings.Tabular], sources: Sequence[Prepared]) -> list["Tabular"]:
        bank = Bank.of(sources)
        return [cls(**vars(one), bank=bank, table=jnp.int32(i)) for i, one in enumerate(settings)]

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.bank.corpus.shape[-1]),)

    @property
    def document_width(self) -> int:
        return self.bank.corpus.shape[-1]

    def evaluations(self) -> dict[str, "Tabular"]:
        return {"test": dataclasses.replace(self, split=Split.test)}

    def sample(self, key: jax.Array, batch: int) -> Episode:
        rows = self.bank.rows[self.split.value]

        def lookup(name: str, index: jax.Array) -> jax.Array:
            return rows[name][self.table, index]

        key_query, key_context = jax.random.split(key)
        available = rows["x"].shape[1]
        query_B = jax.random.randint(key_query, (batch,), 0, available)
        if self.context is Context.nearest:
            context_BxN = lookup("nearest", query_B)
        else:
            others_BxN = distinct(key_context, batch, self.num_context, available - 1)
            context_BxN = others_BxN + (others_BxN >= query_B[:, None])
        prompt = Prompt(
            context=Inputs(lookup("x", context_BxN)),
            answers=lookup("y", context_BxN),
            query=Inputs(lookup("x", query_B[:, None])),
            documents=self.bank.corpus[self.table, lookup("documents", query_B)],
        )
        target, slopes = lookup("y", query_B[:, None]), lookup("slopes", query_B[:, None])
        return Episode(prompt, target, group=query_B, slopes=slopes)


def distinct(key: jax.Array, batch: int, count: int, available: int) -> jax.Array:
    """Return `count` different numbers below `available` per episode (batch, count), every set of them equally likely.

    Their order is not random. R. Floyd's algorithm: the j-th number is drawn up to its own bound (inclusive), and is
    replaced by this bound if it was drawn before.
    """
    bounds_1xN = (available - count + jnp.arange(count))[None]
    drawn_BxN = jax.random.randint(key, (batch, count), 0, bounds_1xN + 1)

    def choose(chosen_BxN, j):
        new_B = drawn_BxN[:, j]
        new_B = jnp.where(jnp.any(chosen_BxN == new_B[:, None], axis=1), bounds_1xN[0, j], new_B)
        return chosen_BxN.at[:, j].set(new_B), None

    return jax.lax.scan(choose, jnp.full((batch, count), -1), jnp.arange(count))[0]
