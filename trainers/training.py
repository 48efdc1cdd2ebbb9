"""The training of a study's models to the end, in chunks, with checkpoints. A training that diverges is an error."""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from lab.errors import Diverged
from lab.learners.learner import Learner
from lab.runs import interrupt
from trainers import early_stopping
from trainers.record import Record, S
from trainers.resume import Saving
from trainers.session import Session
from trainers.store import Checkpoints

CHUNKS = 20  # chunks of a training without `Look`; a checkpoint may follow each
GROWN = 1e4  # times the first loss: a training whose loss is larger has diverged, though the loss is a number

Look = tuple[int, Callable[[int], list[dict]]]  # (every so many steps, step -> rows), from step 0 on


def trained(
    record: Record[S],
    name: str,
    session: Session,
    seeds: Sequence[int],
    say: Callable[[str], None],
    look: Look | None = None,
    section: str = "train",
) -> tuple[dict[str, Learner], list[dict]]:
    """Train a session's learners to the end, from the newest checkpoint if there is one. A finished training is read.

    Args:
        name: tells it from other trainings of the run.
        seeds: the seeds of the session's P members.
        say: shows a text on the progress bar.
        look: rows to measure during the training, and how often.
        section: the section of the settings with its learning rate.

    Returns:
        {name: learner, with the population in front}, and all rows.

    Raises:
        Diverged: a loss is not a finite number, or far above the first one.
    """
    partial, like = record.partial, session.like()
    if not like[1]:  # nothing is trained
        return {}, []
    read_learners = {each: partial.learner(f"{name}/{each}", state.learner) for each, state in like[1].items()}
    kept_learners = {each: learner for each, learner in read_learners.items() if learner is not None}
    rows, train = partial.rows(f"{name}/rows"), getattr(record.settings, section)
    if rows is not None and len(kept_learners) == len(like[1]):
        return kept_learners, rows
    say(f"compiling {name}")
    checkpoints = partial.checkpoints(name)
    done, rows, first, means = _begin(session, checkpoints)
    steps, saving = session.recipe.steps, Saving(record.settings.checkpoint.every)
    every, rows_at = look or (max(1, -(-steps // CHUNKS)), lambda step: [])
    if done < steps:
        session.compile(every)
    if done == 0 and not rows:
        rows += rows_at(0)
    stopped = early_stopping.by_training_losses(train, means, section)
    while done < steps and not stopped:
        with interrupt.held():
            losses = session.advance(min(every, steps - done), every)
            first = first or {each: loss[:, 0].tolist() for each, loss in losses.items()}
            _refuse_divergence(losses, first, done, seeds, section)
            done += min(every, steps - done)
            rows += rows_at(done)
            means.append((done, [float(mean) for loss in losses.values() for mean in loss.mean(axis=1)]))
            stopped = done < steps and early_stopping.by_training_losses(train, means, section)
            say(f"{name}, step {done} of {steps}, loss {np.mean([loss.mean() for loss in losses.values()]):.4f}")
            if saving.due() or interrupt.pending():
                with saving:
                    checkpoints.save(done, session.state, {"rows": rows, "first": first, "means": means})
    if stopped:
        early_stopping.keep(record, name, section, done)
    return _keep(record, name, session, rows, seeds, section)


def _begin(session: Session, checkpoints: Checkpoints) -> tuple[int, list[dict], dict, list]:
    """Start from the newest usable checkpoint, or anew. Return its step, rows, first losses and mean losses."""
    for step in sorted(checkpoints.steps, reverse=True):
        if (saved := checkpoints.restore(step, session.like())) is not None:
            state, more = saved
            session.start(state)
            return step, more["rows"], more["first"], more["means"]
    checkpoints.clear()  # of other code: they would count as newer than those to come
    session.start()
    return 0, [], {}, []


def _keep(
    record: Record[S], name: str, session: Session, rows: list[dict], seeds: Sequence[int], section: str
) -> tuple[dict[str, Learner], list[dict]]:
    kept_learners: dict[str, Learner] = {}
    for each, state in session.state[1].items():
        learner = state.learner
        for place, seed in enumerate(seeds):
            if not _is_finite(jax.tree.map(lambda leaf, place=place: leaf[place], learner)):
                why = f"the weights of {each} are no finite numbers after the last step with seed {seed}"
                raise Diverged(f"{why}; lower {section}.learning_rate")
        kept_learners[each] = record.partial.keep_learner(f"{name}/{each}", learner)
    return kept_learners, record.partial.keep_rows(f"{name}/rows", rows)


def _is_finite(learner: Learner) -> bool:
    """Return whether all numbers of a learner are finite. Keys of random numbers do not count."""
    leaves = [leaf for leaf in jax.tree.leaves(learner) if jnp.issubdtype(leaf.dtype, jnp.floating)]
    return all(np.isfinite(np.asarray(leaf)).all() for leaf in leaves)


def _refuse_divergence(
    losses: dict[str, np.ndarray], first: dict, done: int, seeds: Sequence[int], section: str
) -> None:
    for name, losses_PxS in losses.items():
        for place, seed in enumerate(seeds):
            if (why := divergence(losses_PxS[place], first[name][place], done)) is not None:
                why = f"the training loss of {name} {why} with seed {seed}"
                raise Diverged(f"{why}; lower {section}.learning_rate or {section}.clip_norm")


def divergence(losses_S: np.ndarray, first: float, done: int) -> str | None:
    """Return the reason why a training has diverged, from the losses of some steps; None if it has not.

    Args:
        first: the loss of the very first step.
        done: the steps before these.
    """
    bad = np.flatnonzero(~np.isfinite(losses_S))
    if bad.size:
        return f"became {losses_S[bad[0]]} at step {done + bad[0]}"
    grown = np.flatnonzero(losses_S > GROWN * abs(first))
    if grown.size > len(losses_S) / 2:  # single batches may be far off
        return f"grew to {losses_S[grown[0]]:.3g} at step {done + grown[0]}, from {first:.3g} at the first"
    return None
