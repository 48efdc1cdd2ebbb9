"""One program of runs that differ in numbers alone, from configurations to the tables, figures and report of each."""

import contextlib
from collections.abc import Sequence

import jax
import numpy as np

from analysis import summary as summaries
from analysis.present import present
from lab import console, interrupt
from lab.hosts import told
from lab.run_directory import config_hash
from lab.trackers.catalogue import tracking
from tasks.catalogue import TASKS
from trainers import boosting, contestants, inside, resume, shifts
from trainers.run import Run, cut
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
            claims.enter_context(one.directory.claimed(one.config))
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
                    one.look(step, cut(losses, one.rows), cut(seen, one.rows), session.watch.total()["total"])
                if not _well(runs):
                    return None
                shown = [seen["loss"][contestants.SUBJECT]["mean"][one.rows] for one in _well(runs)]
                advance(step, float(np.mean(np.concatenate(shown))), session.watch.seconds["train"])
                stop = interrupt.pending()
                if saving.due() or stop:
                    with saving:
                        resume.save(step, session, _well(runs))
    return seen


def _conclude(session: Session, runs: Sequence[Run], last: dict) -> None:
    """The final comparison, tables, parameters, summaries, figures and reports."""
    seen, oracle = session.conclude(last), session.oracle()
    insides = session.look_inside([one.rows[0] for one in runs])
    shifted = session.conclude_shifted() if shifts.places(session.config) else None
    cost = _cost(session, runs)
    references, states = session.state
    trained = {name: state.learner for name, state in states.items()}
    _write(session, runs, seen, oracle, insides, shifted, cost, trained, references)


@told
def _write(session, runs: Sequence[Run], seen, oracle, insides, shifted, cost, trained, references) -> None:
    shape = contestants.shape_of(session.config, session.task)
    for one, found in zip(runs, insides, strict=True):
        here, directory = cut(seen, one.rows), one.directory
        directory.write_table("curves", one.curves)
        here["loss"] |= boosting.losses(one.source, len(one.rows))
        directory.write_table("learners", summaries.learner_rows(here["loss"]))
        directory.write_table("alignment", summaries.alignment_rows(here["alignment"]))
        directory.write_table("layers", summaries.layer_rows(here["layers"]))
        if shifted is not None:
            directory.write_table("shift", summaries.shift_rows(shifts.places(one.config), cut(shifted, one.rows)))
        directory.write_arrays("parameters", named_leaves(cut(trained, one.rows)))
        rates = _rates(cut(references, one.rows))
        summary = summaries.summarise(one.config.name, config_hash(one.config), here, rates, cut(oracle, one.rows))
        if one.source.statistics:
            directory.write_arrays("normalization", one.source.statistics)
        inside.write(one.config, directory, shape, found)
        notes = [*one.lost, *one.source.notes, *contestants.notes(one.config, session.task)]
        notes += inside.notes(one.config, one.seeds)
        rest = {"reference": contestants.reference_of(one.config), "notes": notes, "command": one.command}
        directory.write_summary(summary | cost | rest | {"figure": one.config.figure.name})
        present(directory)
        directory.finish()
        one.checkpoints.clear()


def _rates(found: contestants.References) -> dict[str, dict]:
    searched = {"gradient_descent": found.eta, "retrieved_descent": found.retrieved_eta}
    rates = {name: summaries.rate(of.eta, of.stderr) for name, of in searched.items() if of is not None}
    eta_PxS, gamma_PxS = jax.vmap(lambda learner: learner.rates())(found.gd_plus_plus)
    each = {"eta": np.asarray(eta_PxS), "gamma": np.asarray(gamma_PxS)}
    by_step = {name: [summaries.number(values_P) for values_P in of.T] for name, of in each.items()}
    return rates | {"gd_plus_plus": {"by_step": by_step}}


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


def named_leaves(tree) -> dict[str, np.ndarray]:
    """{path: array} of a pytree, for a file."""
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}
