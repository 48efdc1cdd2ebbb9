"""A study: models of several seeds, measured on blocks of episodes. Seeds -> models -> parts -> blocks -> tables.

A kind lists the parts of its study and measures the rows of a part. The study does the rest: keys of random numbers,
trainings, progress, the order of the tables' rows. It stores finished parts, blocks of episodes and trained models in
the run's directory, so that the same command goes on after them.
"""

import abc
import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic

import jax
import numpy as np
from flax.traverse_util import flatten_dict

from analysis.results import declared
from lab.config.kinds import KINDS, kind_of
from lab.config.training import seeds_of
from lab.errors import NotFinite
from lab.learners.learner import Learner
from lab.runs import console, interrupt
from lab.runs.memory import refuse
from trainers import early_stopping
from trainers.programs import Programs, Stopwatch
from trainers.record import Record, S
from trainers.session import Session
from trainers.store import Tree
from trainers.streams import Stream, key_of
from trainers.training import Look, trained

MEANS = "the numbers of the model, or of what it is given, are too large or damaged"
Row = dict
Tables = dict[str, list[Row]]


@dataclasses.dataclass(frozen=True)
class Part:
    """One part of a study.

    Args:
        columns: the first columns of all of its rows.
        blocks: its number of steps on the progress bar, one per block of `Study.blocks`.
        name: tells it from parts with the same columns.
    """

    columns: Mapping[str, Any]
    blocks: int = 1
    name: str = ""

    @property
    def label(self) -> str:
        return json.dumps([self.name, dict(self.columns)])


class Study(abc.ABC, Generic[S]):
    """One run of a kind that measures models.

    TABLES: the names of its tables, in the order in which they are written.
    DOING: the text of the progress bar.
    UNDEFINED: the columns, and the arrays of blocks, that may be NaN, as they are not defined for every episode. NaN
        and infinity are refused everywhere else. A number that was not measured is None.
    """

    TABLES: ClassVar[tuple[str, ...]]
    DOING: ClassVar[str] = "measuring"
    UNDEFINED: ClassVar[tuple[str, ...]] = ()

    def __init__(self, record: Record[S]):
        self.record, self.settings = record, record.settings
        self.programs = Programs(Stopwatch(), 0)  # shared by all trainings
        self.tables: Tables = {name: [] for name in self.TABLES}  # the rows of the parts that are done
        self._label, self._left = "", 0

    @classmethod
    def run_each(cls, records: Sequence[Record[S]]) -> None:
        """Run the study of every record: `run` of a kind. Raises as `Study.run`."""
        for record in records:
            cls(record).run()

    @abc.abstractmethod
    def parts(self) -> Sequence[Part]:
        """Return the study's parts, in the order of the tables' rows. Models of other runs are read here."""

    @abc.abstractmethod
    def measure(self, part: Part) -> Tables:
        """Return the rows of one part, without its columns."""

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        """Return the headline numbers, from all rows, that the kind's part `results` declares."""
        return {**declared.numbers(KINDS[kind_of(self.settings)].load("results"), tables)}

    def run(self) -> None:
        """Measure all parts that are not done, and write the tables and the numbers.

        Raises:
            Diverged: a training loss is not a finite number, or has grown without bound.
            NotFinite: a measured number is NaN or infinite.
            UserError: a model is missing, a directory cannot be written, or the device has too little memory.
        """
        parts, tables = self.parts(), self.tables
        early_stopping.report_kept(self.record)
        total = sum(part.blocks for part in parts)
        with console.counting_bar(self.DOING, total) as self._advance:
            for part in parts:
                for name, rows in self._of_part(part).items():
                    tables.setdefault(name, []).extend({**part.columns, **row} for row in rows)
        for name in self.TABLES:
            self.record.table(name, tables[name])
        self.record.numbers(self.numbers(tables))

    @property
    def seeds(self) -> range:
        """The seeds of the run (`lab.config.training.seeds_of`)."""
        return seeds_of(self.settings)

    def key(self, seed: int, stream: Stream) -> jax.Array:
        """Return the key for one use of random numbers."""
        return key_of(seed, stream)

    def blocks(
        self, name: str, measure: Callable[[jax.Array], Tree], key: jax.Array, episodes: int, chunk: int
    ) -> Tree:
        """Measure `episodes` episodes in blocks of `chunk`, and store the results after every block.

        The results depend on `chunk`, as every block draws its episodes from a key of its own.

        Args:
            name: tells these blocks from others of the same part.
            measure: a key -> a tree of arrays with the `chunk` episodes of a block in front.

        Returns:
            The tree with all `episodes` in front, on the host.
        """
        trees = []
        for number in range(blocks := blocks_of(episodes, chunk)):
            place = f"{self._label}/{name}/{number}"
            if (tree := self.record.partial.tree(place)) is None:
                interrupt.check()
                tree = jax.device_get(measure(jax.random.fold_in(key, number)))
                for path, array in flatten_dict(tree).items():
                    self._refuse(f"{name}, block {number + 1}", path, array)
                if number == 0:
                    refuse(sum(leaf.nbytes for leaf in jax.tree.leaves(tree)) * blocks, [episodes])
                self.record.partial.keep_tree(place, tree)
            trees.append(tree)
            self.go_on()
        return jax.tree.map(lambda *each: np.concatenate(each)[:episodes], *trees)

    def once(self, name: str, measure: Callable[..., Tree], *arguments: Any) -> Tree:
        """Measure a tree that needs no episodes, and store it: after a kill it is read, not measured again.

        Args:
            name: tells it from everything else that the run measures.
            measure: returns a tree of arrays on the host, for the arguments.

        Returns:
            The tree as it is read.
        """
        if (tree := self.record.partial.tree(name)) is None:
            interrupt.check()
            self.record.partial.keep_tree(name, measure(*arguments))
            tree = self.record.partial.tree(name)
            assert tree is not None  # it was written above
        return tree

    def next_block(self, name: str, measure: Callable[..., Tree], *arguments: Any) -> Tree:
        """Measure a block of the part as `once` does, and move the progress bar."""
        tree = self.once(name, measure, *arguments)
        self.go_on()
        return tree

    def trained(
        self, name: str, session: Session, seeds: Sequence[int], look: Look | None = None, section: str = "train"
    ) -> tuple[dict[str, Learner], list[Row]]:
        """Train a session's learners to the end, and store them: `trainers.training.trained` with the study's progress
        bar.
        """

        def say(line: str) -> None:
            self._advance(f"{self.DOING}: {line}", steps=0)

        return trained(self.record, name, session, seeds, say, look, section)

    def go_on(self) -> None:
        """Move the progress bar by one block."""
        if self._left:
            self._left -= 1
            self._advance()

    def _of_part(self, part: Part) -> Tables:
        self._label, self._left = part.label, part.blocks
        if (tables := self.record.partial.rows(part.label)) is None:
            interrupt.check()
            try:
                tables = self._finite(self.measure(part))
            except NotFinite as error:
                place = ", ".join([part.name, *(f"{key} {value}" for key, value in part.columns.items())])
                raise NotFinite(f"{place.removeprefix(', ')}: {error}") from error
            tables = self.record.partial.keep_rows(part.label, tables)
        self._advance(steps=self._left)
        return tables

    def _finite(self, tables: Tables) -> Tables:
        """Return the tables after checking that their numbers are finite."""
        for name, rows in tables.items():
            for number, row in enumerate(rows, start=1):
                for column, value in row.items():
                    if isinstance(value, float | np.floating):
                        self._refuse(f"row {number} of {name}", (column.partition(".")[0],), value)
        return tables

    def _refuse(self, where: str, names: Sequence[str], values: Any) -> None:
        """Refuse numbers that are NaN or infinite, unless one of their names is in `UNDEFINED`."""
        is_floating = jax.numpy.issubdtype(np.asarray(values).dtype, np.floating)
        if is_floating and not {*names} & {*self.UNDEFINED} and not np.isfinite(values).all():
            raise NotFinite(f"{'.'.join(names)} is NaN or infinite in {where}: {MEANS}")


def blocks_of(episodes: int, chunk: int) -> int:
    """Return the number of blocks of `chunk` episodes."""
    return -(-episodes // chunk)
