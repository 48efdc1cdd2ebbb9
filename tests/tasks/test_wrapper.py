"""Tasks that are made of other tasks: what they leave as it is, and what of them is traced."""

import chex
import jax
import jax.numpy as jnp
import pytest

from tasks.catalogue import SYNTHETIC, TASKS
from tasks.shift import Shift, Shifted
from tasks.shifted_classes import ShiftedClasses
from tasks.wrapper import Prefix
from tests.compiled import sampled

KEPT = ("features", "num_context", "answer_dim", "document_width", "scoring")


def prefix(task):
    return Prefix(task, jnp.asarray(2))


def shifted(task):
    return Shifted(task, Shift.of(task, alpha=2.0, noise=0.1))


WRAPPED = [(wrap, TASKS[name](input_dim=3)) for wrap in (prefix, shifted) for name in sorted(SYNTHETIC)]
WRAPPED += [(prefix, ShiftedClasses()), (lambda task: prefix(shifted(task)), TASKS["rag_dot"]())]


@pytest.mark.parametrize(("wrap", "task"), WRAPPED)
def test_learners_see_and_are_judged_as_without_it(wrap, task):
    wrapped = wrap(task)
    for name in KEPT:
        assert getattr(wrapped, name) == getattr(task, name), name
    episodes = sampled(wrapped, jax.random.key(0), 2)
    answer, target = jnp.ones((len(episodes.target[0]), task.answer_dim)), episodes.target[0]
    chex.assert_trees_all_equal(wrapped.loss(answer, target), task.loss(answer, target))
    chex.assert_trees_all_equal(wrapped.scores(answer, target), task.scores(answer, target))
