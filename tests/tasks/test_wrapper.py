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


def test_what_is_traced():
    task = TASKS["rag_dot"]()
    numbers = jax.tree.leaves(task)
    assert len(jax.tree.leaves(prefix(task))) == len(numbers) + 1
    assert len(jax.tree.leaves(shifted(task))) == len(numbers) + 5
    assert jax.tree.structure(shifted(task)) == jax.tree.structure(Shifted(task, Shift.of(task, teacher=3.0)))
    other = TASKS["rag_dot"](num_context=5)
    assert jax.tree.structure(prefix(task)) != jax.tree.structure(prefix(other))
