"""One program of runs that differ in numbers alone, from configurations to the tables, figures and report of each."""

import contextlib
from collections.abc import Sequence

import numpy as np

from lab.runs import console, interrupt
from lab.runs.hosts import on_first_process
from lab.runs.trackers.catalogue import tracking
from tasks.catalogue import TASKS
from trainers import resume
from trainers.experiments.comparison import baselines, circuits, files, shifts
from trainers.experiments.comparison.run import Run
from trainers.population import at
from trainers.session import Session


def run(runs: Sequence[Run]) -> None:
    """Train and compare, and write each run's files; a run that diverges has its `failure` set, and no DONE.

    Runs go on from a checkpoint that all of them have.

    Raises:
        UserError: a directory cannot be written or is in use, the device has too little memory, no checkpoint is good.
        DataError: the data cannot be read; nothing is written then.
    """
    configs = [one.config for one in runs]
    if names := dict.fromkeys(of.data.name for of in configs if of.data):
        console.say(f"reading {', '.join(names)}")
    sources = TASKS[configs[0].task.name].read([of.task for of in configs], [of.data for of in configs])
    for one, source in zip(runs, sources, strict=True):
        one.source = source
    with contextlib.ExitStack() as claims:
        for one in runs:
            claims.enter_context(one.directory.locked(one.config))
            if one.config.run.force:
                one.checkpoints.clear()
        _run(runs, configs, sources)


def _run(runs: Sequence[Run], configs, sources) -> None:
    resume.number(runs)
    console.starting([one.directory for one in runs], configs)
    from_checkpoint = resume.Resume(runs)
    with console.busy("compiling, line search"):
        session = Session(configs, sources, from_checkpoint.restore)
    with contextlib.ExitStack() as trackers:
        for one in runs:
            one.directory.begin(one.config, one.metrics_bytes)
            one.tracker = trackers.enter_context(tracking(one.config, one.directory))
        if from_checkpoint.step:
            session.watch.add(from_checkpoint.seconds)
            console.say(f"going on from step {from_checkpoint.step}")
        last = _train(session, runs, from_checkpoint.step)
    if not _well(runs):
        return
    with console.busy("final comparison"):
        _conclude(session, _well(runs), last or session.look())


def _well(runs: Sequence[Run]) -> list[Run]:
    return [one for one in runs if one.failure is None]


def _train(session: Session, runs: Sequence[Run], start: int | None) -> dict | None:
    """Training with an evaluation every `train.eval_every` steps: the rows of the curves, also in metrics.jsonl, and
    checkpoints. Gives the last of the evaluations, if there was one."""
    train, done, seen = session.config.train, start or 0, None
    losses = {name: np.full((session.size, 1), np.nan) for name in session.trained}
    stops = [*range(0, train.steps, train.eval_every), train.steps]
    saving = resume.Saving(session.config.checkpoint.every)
    with console.training_bar(train.steps) as advance:
        for step in stops if start is None else [stop for stop in stops if stop > start]:
            with interrupt.held():
                if step:
                    losses = session.advance(step - done)
                    done = step
                seen = session.look()
                for one in _well(runs):
                    one.look(step, at(losses, one.rows), at(seen, one.rows), session.watch.total()["total"])
                if not _well(runs):
                    return None
                shown = [seen["loss"][baselines.SUBJECT]["mean"][one.rows] for one in _well(runs)]
                advance(step, float(np.mean(np.concatenate(shown))), session.watch.seconds["train"])
                stop = interrupt.pending()
                if saving.due() or stop:
                    with saving:
                        resume.save(step, session, _well(runs))
    return seen


def _conclude(session: Session, runs: Sequence[Run], last: dict) -> None:
    """The final comparison, tables, parameters, summaries, figures and reports."""
    references, states = session.state
    everyone = {  # each with the population in front
        "seen": session.final_evaluation(last),
        "oracle": session.oracle(),
        "shifted": session.evaluate_shifts() if shifts.places(session.config) else None,
        "references": references,
        "trained": {name: state.learner for name, state in states.items()},
    }
    insides, cost = session.inspect([one.rows[0] for one in runs]), _cost(session, runs)
    shape = baselines.shape_of(session.config, session.task)
    about = baselines.notes(session.config, session.task)

    @on_first_process
    def write() -> None:
        for one, found in zip(runs, insides, strict=True):
            circuits.write(one.config, one.directory, shape, found)
            files.write(one, at(everyone, one.rows), cost, about)

    write()


def _cost(session: Session, runs: Sequence[Run]) -> dict:
    """What the whole program took, and for several models what it saved, measured by training one for a chunk."""
    train, found = session.config.train, {}
    if session.size > 1:
        chunk = min(train.eval_every, train.steps)
        alone = session.seconds_alone(chunk) * train.steps / chunk
        found["together"] = {
            "models": session.size,
            "runs": len(runs),
            "train_seconds_of_one_alone": alone,
            "share_of_separate_training": session.watch.seconds["train"] / (alone * session.size),
        }
    seconds = session.watch.total()
    return found | {"seconds": seconds, "steps_per_second": train.steps / seconds["train"]}
