"""Training with an evaluation every `train.eval_every` steps: the rows of the curves, and checkpoints."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Protocol, TypeVar

import numpy as np

from analysis.tables.columns import Table
from lab.config.base import Base
from lab.learners.learner import Learner
from lab.runs import console, interrupt
from tasks.task import Source
from trainers import early_stopping, resume
from trainers.population import at
from trainers.recipe import Recipe
from trainers.record import Record
from trainers.session import Session
from trainers.slice import RunSlice, alive, cost, runs_of

FIRST = 5  # steps; before them only the untrained learners are evaluated


class Evaluator(Protocol):
    """Evaluates the learners of a session as they are now.

    SUBJECT: the learner whose loss the progress bar shows. rates: {learner: key of the rate to lower if its loss is not
    finite, or ""}, for learners with a rate other than `train.learning_rate`.
    """

    SUBJECT: ClassVar[str]

    @property
    def rates(self) -> Mapping[str, str]: ...

    def curve(self) -> dict:
        """Measure the learners: arrays with the population in front, including {"loss": {learner: {"mean",
        "left_out"}}}.
        """
        ...

    def rows(self, step: int, seeds: list[int], losses: dict[str, np.ndarray], results: dict) -> list[dict]:
        """Return one row of the curves per seed, from the losses (P, steps) since the last row and the results of
        `curve`.
        """
        ...


S = TypeVar("S", bound=Base)
E = TypeVar("E", bound=Evaluator)


def run(
    records: Sequence[Record[S]],
    session: Session,
    evaluator_of: Callable[[Session, S], E],
    write: Callable[[Session, E, list[RunSlice[S]]], None],
    sources: Sequence[Source] = (),
) -> None:
    """Train with evaluations, from the newest checkpoint that all runs have, and write the files of the runs that have
    not failed: the curves, what `write` makes, and the seconds that all took.

    Args:
        session: trains the records' settings.
        evaluator_of: (session, settings) -> its evaluator; called after the session has started.
        write: does the final evaluation, and writes the further files of each run.
        sources: the data of each record's task, for tasks that are not made of numbers alone.

    Raises:
        UserError: a directory cannot be written, the device has too little memory, or all checkpoints are damaged.
    """
    runs = runs_of(records, sources or [Source()] * len(records))
    step = begin(session, runs)
    evaluator = evaluator_of(session, records[0].settings)
    train(session, evaluator, runs, step)
    if left := alive(runs):
        for each in left:
            each.record.table(Table.CURVES, each.record.curves)
        with console.busy("final evaluation"):
            write(session, evaluator, left)
        spent = cost(session.watch, session.size, left)
        for each in left:
            each.record.entries(**spent)


def entry_points(
    session_of: Callable[[Sequence[S]], Session],
    evaluator_of: Callable[[Session, S], E],
    write: Callable[[Session, E, list[RunSlice[S]]], None],
) -> tuple[Callable[[Sequence[Record[S]]], None], Callable[[S], dict[str, Learner]]]:
    """Return `run` and `learners` of a kind (`trainers.experiment.Experiment`) whose runs, if they differ in traced
    numbers alone, train together.

    Args:
        session_of: returns the session that trains all of these settings.
        evaluator_of, write: as in `run`.
    """

    def run_each(records: Sequence[Record[S]]) -> None:
        """Train, measure and write each run's files. Raises as `trainers.loop.run`."""
        run(records, session_of([record.settings for record in records]), evaluator_of, write)

    def learners(settings: S) -> dict[str, Learner]:
        """Return {name: structure} of the trained learners that a run keeps."""
        return session_of([settings]).structures

    return run_each, learners


def begin(session: Session, runs: Sequence[RunSlice]) -> int | None:
    """Print the beginning of a training, and start the session, from the newest checkpoint that all its runs have.

    Returns:
        The step of the checkpoint; None for a training from the beginning.

    Raises:
        UserError: there are checkpoints, and all are damaged.
    """
    records, counts = [each.record for each in runs], [len(each.members) for each in runs]
    _say_what_begins(records)
    with console.busy("compiling and preparing"):
        saved = resume.restore(records, counts, session.like)
        step, state, extras = saved or (None, None, [{}] * len(runs))
        session.start(state)
    for each, extra in zip(runs, extras, strict=True):
        each.restore(extra)
    if (source := records[0].trained_by) is not None:
        console.say(f"trained already: {source}")
        share = session.size / extras[0].get("models", session.size)  # of the models that trained together
        session.watch.add_training(extras[0]["seconds"], extras[0].get("devices", ()), share)
    elif step:
        session.watch.add(extras[0]["seconds"], extras[0].get("devices", ()))
        console.say(f"going on from step {step}")
    return step


def train(session: Session, evaluator: Evaluator, runs: Sequence[RunSlice], start: int | None) -> None:
    """Train to the last step, from the step `start` or from the beginning (None). Training ends earlier if
    `train.until` says so, or when every run has failed.
    """
    settings = runs[0].record.settings
    recipe, done = settings.train, start or 0
    losses = {name: np.full((session.size, 1), np.nan) for name in session.trained}
    stops = stops_of(recipe.steps, recipe.eval_every)
    longest = min(recipe.eval_every, recipe.steps)
    saving = resume.Saving(settings.checkpoint.every)
    if not alive(runs) or (start is not None and _stops(evaluator, runs, start)):
        return
    left = stops if start is None else [stop for stop in stops if stop > start]
    if any(left):
        with console.busy("compiling the training"):
            session.compile(longest)
    with console.training_bar(recipe.steps) as advance:
        for step in left:
            with interrupt.held():
                if step:
                    losses = session.advance(step - done, longest)
                    done = step
                results = evaluator.curve()
                seconds = session.watch.total()["total"]
                for each in alive(runs):
                    each.evaluated(step, evaluator, at(losses, each.rows), at(results, each.rows), seconds)
                if not alive(runs):
                    return
                losses_shown = [results["loss"][evaluator.SUBJECT]["mean"][each.rows] for each in alive(runs)]
                advance(step, float(np.mean(np.concatenate(losses_shown))), session.watch.seconds["train"])
                stop = interrupt.pending()
                stops_here = _stops(evaluator, runs, step)
                if saving.due() or stop or stops_here or step == recipe.steps:
                    with saving:
                        _save(step, session, runs)
                if stops_here:
                    return


def stops_of(steps: int, every: int) -> list[int]:
    """The steps after which a run is evaluated: multiples of `every`, the last step, and, as curves move most at the
    start, `every` / 2, `every` / 4 ... down to FIRST.
    """
    early = itertools.takewhile(lambda step: step >= FIRST, (every // 2**halvings for halvings in itertools.count(1)))
    return sorted({*range(0, steps, every), steps, *(step for step in early if step < steps)})


def _stops(evaluator: Evaluator, runs: Sequence[RunSlice], step: int) -> bool:
    """Return whether training stops early at this step, and print it. A run that may stop early is trained alone."""
    record, train = runs[0].record, runs[0].record.settings.train
    if step >= train.steps or not early_stopping.by_curves(train, record.curves, evaluator.SUBJECT):
        return False
    early_stopping.report(record, "the training", train, step)
    return True


def _save(step: int, session: Session, runs: Sequence[RunSlice]) -> None:
    """Write a checkpoint of each run with all its members; also of a failed run, as the program goes on with all of
    them.
    """
    state, watch = session.state, session.watch
    for each in runs:
        spent = {"seconds": watch.total(), "devices": watch.devices, "models": session.size}
        each.record.save(step, at(state, each.members), each.extra | spent)


def _say_what_begins(records: Sequence[Record]) -> None:
    settings, many = records[0].settings, f"{len(records)} runs together, " if len(records) > 1 else ""
    last = settings.seed + settings.seeds - 1
    seeds = f"seed {settings.seed}" if last == settings.seed else f"seeds {settings.seed} to {last}"
    train = settings.train
    recipe = Recipe.of(train, settings.model.num_layers)
    how = f"{recipe.optimizer.name} at {recipe.learning_rate:g}"
    console.say(f"{settings.name}: {many}{train.steps} steps of {train.batch_size} episodes, {how}, {seeds}")
    for record in records:
        console.say(f"writing to {record.directory.path}")
