"""A finished run, opened in Python: `lab.load("runs/rag_dot/a766db701a")`, or a kept model, `lab.load("plain")`.
Nothing is run.

run = lab.load("runs/rag_dot/a766db701a")
run.answer, run.numbers, run.claims     what it found
run.tables["seeds"]                     its tables, one dictionary per row
run.task, run.learners(seed=0)          a distribution over episodes, and modules that answer a prompt
run.figures, run.report                 the paths of its pictures and of its page
run.points                              of a sweep: {name of a point: the same}
"""

import functools
import os
import pathlib
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import experiments
from analysis.report import generic, untrusted
from analysis.tables.select import Row
from experiments import kept_models
from lab.config import compose, kinds, multirun, user_code
from lab.config.base import Base
from lab.config.imported import PROGRAM
from lab.errors import UserError, names_allowed, printable, short
from lab.learners.learner import Learner
from lab.runs import validity
from lab.runs.directory import RunDirectory
from lab.runs.safe_read import refuse_links
from tasks.catalogue import TASKS
from tasks.datasets.files import OF_OTHERS, reading_at_most
from tasks.task import Task
from trainers import learner_store


class Tables(Mapping[str, list[Row]]):
    """The tables of a run by their names, read when they are asked for."""

    def __init__(self, directory: RunDirectory, names: list[str]):
        self._directory, self._names = directory, names

    def __getitem__(self, name: str) -> list[Row]:
        if name not in self._names:
            raise KeyError(f"{name}: no such table; there are {', '.join(self._names)}")
        return [*map(Row, self._directory.read_table(name))]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<tables: {', '.join(self._names)}>"


class OpenedRun:
    """A finished run or sweep.

    Args:
        directory: its directory.
        settings: what it was made of, complete.
    """

    def __init__(self, directory: RunDirectory, settings: Base):
        self.directory, self.settings = directory, settings
        self.summary: dict[str, Any] = directory.read_summary()

    def __repr__(self) -> str:
        return f"<{self.directory.path}: {self.answer}>"

    @property
    def answer(self) -> str:
        """The main result as a sentence."""
        with untrusted.explained(self.directory, ""):
            return generic.answer(self.summary)

    @property
    def numbers(self) -> dict[str, float | None]:
        """The headline numbers; NAME.stderr is the standard error of NAME. A sweep has none, its points have them."""
        return self.summary.get("numbers", {})

    @property
    def claims(self) -> list[dict[str, Any]]:
        """The claims, each with its `statement`, `source`, `criterion`, what was `measured`, and `holds`."""
        return self.summary["claims"]

    @property
    def tables(self) -> Tables:
        """The tables by their names: lists of rows, a row being a dictionary."""
        return Tables(self.directory, self.summary["tables"])

    @property
    def figures(self) -> dict[str, pathlib.Path]:
        """The pictures by their names."""
        return {path.stem: path for path in sorted((self.directory.path / "figures").glob("*.png"))}

    @property
    def report(self) -> pathlib.Path:
        """The page."""
        return self.directory.path / "report.html"

    @functools.cached_property
    def points(self) -> dict[str, "OpenedRun"]:
        """The points of a sweep that are done; a run has none."""
        return {name: _opened(directory, []) for name, directory in self.directory.points().items()}

    @functools.cached_property
    def task(self) -> Task:
        """The task on which the run was trained or tested, of its first seed (`Task.of_seed` gives that of another
        one, where seeds differ in it).

        Raises:
            UserError: its settings have no task.
            DataError: the data of its task is not there.
        """
        parameters, data = getattr(self.settings, "task", None), getattr(self.settings, "data", None)
        if parameters is None:
            raise UserError(f"{self.directory.path}: a run of the kind {self.summary.get('kind')} has no task")
        cls = TASKS[parameters.name]
        task = cls.together([parameters], cls.read([parameters], [data]))[0]
        return task.of_seed(getattr(self.settings, "seed", 0))

    def learners(self, seed: int | None = None) -> dict[str, Learner]:
        """Return {name: trained learner} of one seed, by default the first.

        A learner answers one prompt, `learner(prompt)`; `jax.vmap(learner)` answers those of several episodes.

        Raises:
            UserError: it keeps no learners, there is no such seed or it diverged, or a file is damaged.
        """
        if self.settings.has_points:
            raise UserError(f"{self.directory.path}: a sweep keeps no learners; those of its points may: run.points")
        if (structures := learner_store.structures(self.settings)) is None:
            raise UserError(f"{self.directory.path}: a run of the kind {self.summary['kind']} keeps no learners")
        member = 0 if seed is None else learner_store.member_of(self.directory, self.settings, seed)
        return {name: learner_store.read(self.directory, name, each, member) for name, each in structures.items()}


def load(*words: str | os.PathLike[str]) -> OpenedRun:
    """Return a finished run or sweep.

    Args:
        words: its directory, or the name of a kept model (`"rag_dot"`, of which neither report nor figures are kept),
            or the words that made it (`"experiment=rag_dot", "seed=3"`). A run that was made with a file of the user's
            own needs the word `use=FILE.py` beside its directory, too; the file is executed.

    Raises:
        UserError: there is no such run, it is not finished, its settings mean something else today, or a file of a kept
            model is damaged.
    """
    kinds.install(experiments.kinds(), experiments.files())
    texts = [os.fspath(word) for word in words]
    own_words = [word for word in texts if user_code.WORD.match(word)]
    user_code.import_own_code(own_words)
    others = [word for word in texts if word not in own_words]
    if len(others) == 1 and ("=" not in others[0] or os.path.isdir(others[0])):
        try:
            path = pathlib.Path(others[0]).resolve()
            if not path.exists() and others[0] in kept_models.manifest():
                path = kept_models.directory(others[0]).path
        except (OSError, RuntimeError, ValueError) as error:  # a link to itself, a null character, a name too long
            raise UserError(f"{printable(short(others[0]))}: no run's directory ({error})") from error
        return _opened(RunDirectory(path), own_words)
    lines = multirun.commands([word for word in texts if not word.startswith(multirun.LAUNCHER)])
    settings = compose.compose_run(lines[0])
    if len(lines) > 1 or not settings.name:
        raise UserError(f"lab.load({', '.join(map(repr, texts))}): allowed are one run's directory, name or words")
    directory = RunDirectory.of(settings)
    if not directory.done:
        raise UserError(f"{directory.path}: there is no finished run; {PROGRAM} {shlex.join(texts)} makes it")
    return _believed(directory, settings)


def _opened(directory: RunDirectory, own_words: list[str]) -> OpenedRun:
    """Open a directory. No file that only the directory names is executed."""
    with user_code.closed(), reading_at_most(OF_OTHERS), untrusted.explained(directory, ""):
        return _checked(directory, own_words)


def _checked(directory: RunDirectory, own_words: list[str]) -> OpenedRun:
    if not (directory.path / "config.yaml").exists():
        names = names_allowed(directory.path.name, [*kept_models.manifest()])
        raise UserError(
            f"{directory.path}: no run's directory; allowed are those that runs print, as runs/NAME/HASH, and names of "
            f"kept models; {names}"
        )
    if not directory.done:
        raise UserError(f"{directory.path}: that run is not finished; start it again by the same command")
    if use := validity.file_needed(directory):
        raise UserError(f"{directory.path}: it was made with use={use}; add that word, and the file is executed")
    refuse_links(directory.path)
    untrusted.check_summary(directory, {"claims": list})
    settings = validity.settings_today(directory, own_words)
    settings.run.dir = str(directory.path.parent.parent)
    return _believed(directory, settings)


def _believed(directory: RunDirectory, settings: Base) -> OpenedRun:
    """Refuse a run whose settings mean something else today: its learners would be put into other structures."""
    if why := validity.why_other(directory, settings):
        raise UserError(f"{directory.path}: {why}; the same command makes it again")
    return OpenedRun(directory, settings)
