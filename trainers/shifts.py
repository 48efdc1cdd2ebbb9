"""The test distributions of a configuration (`shift.*`), and the learners' statistics under each."""

import dataclasses

import jax
import jax.numpy as jnp

from analysis.comparison import compare
from lab.config import Config
from lab.learners.learner import Learner
from tasks.shift import Shift, Shifted
from tasks.task import Task
from trainers.contestants import SUBJECT
from trainers.population import Member

NUMERIC = ("alpha", "teacher", "noise", "law")  # the others change shapes


def places(config: Config) -> list[tuple[str, object]]:
    """(axis, value) of every shift, in the order of `evaluate`."""
    return [(axis, value) for axis in (*NUMERIC, "num_context") for value in getattr(config.shift, axis)]


def evaluate(config: Config, member: Member, learners: dict[str, Learner]) -> list[dict]:
    """The comparison of the learners at each place; those that differ in numbers are evaluated by one program."""
    others = [name for name in learners if name != SUBJECT]

    def comparison(task: Task) -> dict:
        return compare(learners, SUBJECT, others, task, member.validation, config.eval.episodes)

    found = []
    if numeric := [(axis, value) for axis, value in places(config) if axis in NUMERIC]:
        grid = [_shift(config, member.task, axis, value) for axis, value in numeric]
        stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *grid)
        seen = jax.lax.map(lambda shift: comparison(Shifted(member.task, shift)), stacked)
        found += [jax.tree.map(lambda leaf, i=i: leaf[i], seen) for i in range(len(numeric))]
    for length in config.shift.num_context:
        found.append(comparison(dataclasses.replace(member.task, num_context=length)))
    return found


def _shift(config: Config, task: Task, axis: str, value) -> Shift:
    documents = value / task.scale if axis == "alpha" and config.shift.documents else 1.0
    return Shift.of(task, documents=documents, **{axis: value})
