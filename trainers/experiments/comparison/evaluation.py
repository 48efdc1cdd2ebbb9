"""What a session's learners are worth now: losses and alignments, under shifts, inside the trained Transformers."""

import functools
from collections.abc import Callable, Sequence

import jax
import numpy as np

from analysis.metrics.answers import compare, drawn, sizes
from analysis.metrics.theory import Oracle, has_oracle, one_step
from lab.config.comparison import Comparison
from tasks.task import Task
from trainers.experiments.comparison import baselines, circuits, shifts
from trainers.population import Member, vmap_population
from trainers.session import Session


def curve(session: Session, settings: Comparison) -> dict:
    """The statistics of a training curve, now; every number has the population in front."""
    return _compare(session, settings, baselines.of_the_curve, lambda member: [member.task.evaluations()["test"]])[0]


def final(session: Session, settings: Comparison, last: dict) -> dict:
    """The statistics of every learner, and of the Transformer's alignment with each; `last` is that of the curve."""
    (end,) = _compare(session, settings, baselines.of_the_end, lambda member: [member.task.evaluations()["test"]])
    return last | {kind: last[kind] | end[kind] for kind in ("loss", "alignment")}


def shifted(session: Session, settings: Comparison) -> list[dict] | None:
    """The statistics of the curve's learners at each of `shifts.places`; None where there is none."""
    if not shifts.places(settings):
        return None
    return _compare(session, settings, baselines.of_the_curve, lambda member: shifts.tasks(settings, member.task))


def inspect(session: Session, settings: Comparison, members: Sequence[int]) -> list[dict]:
    """What is inside the trained Transformers of these members, on the first of the validation episodes."""
    everyone = session.learners("of_the_curve", functools.partial(baselines.of_the_curve, settings))
    run, look = functools.partial(session.programs.run, "evaluate"), functools.partial(circuits.look, settings)

    def inside(member: Member, learners: dict) -> dict:
        task = member.task.evaluations()["test"]
        _, size = sizes(task, settings.eval.episodes)
        episodes = drawn(task, member.validation, 0, size, run)
        fit = session.programs.fit("circuits", look, learners, task.scoring, episodes)
        episodes = jax.tree.map(lambda leaf: leaf[:fit], episodes)
        return jax.device_get(run("circuits", look, learners, task.scoring, episodes))

    return session.each_member(inside, everyone, members)


def oracle(session: Session) -> Oracle | None:
    """None where the task has no closed form."""
    if not has_oracle(session.task):
        return None
    return jax.device_get(vmap_population(lambda member: one_step(member.task))(session.members))


def _compare(
    session: Session, settings: Comparison, learners_of: Callable, tasks_of: Callable[[Member], list[Task]]
) -> list[dict]:
    """The comparison of learners on each of a member's tasks; a program for each shape of episodes."""
    everyone = session.learners(learners_of.__name__, functools.partial(learners_of, settings))
    how = (settings.eval.episodes, functools.partial(session.programs.run, "evaluate"), session.programs.fit)

    def compared(member: Member, learners: dict) -> list[dict]:
        return [compare(learners, baselines.SUBJECT, task, member.validation, *how) for task in tasks_of(member)]

    return jax.tree.map(lambda *members: np.stack(members), *session.each_member(compared, everyone))
