"""The fast-weight Transformer with weights set by hand is its rule's online learner."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.layouts.merged import TokenLayout
from lab.learners.gates import Gate, Gates
from lab.learners.online.steps import OnePass
from tests.lab.makers import KEY, one_prompt
from tests.lab.online_identities import KEYS, from_the_learner, task_of
from tests.lab.online_loops import CASES


@pytest.mark.parametrize("name", CASES)
def test_the_construction_is_the_learner(name, float64):
    assert from_the_learner(name) < 1e-12


def test_a_second_pass_goes_on_from_the_first(float64):
    """For the delta rule, two passes are one pass over the examples twice."""
    task = task_of(2)
    layout, prompt, gates = TokenLayout.of(task), one_prompt(task), Gates(Gate(jnp.array([0.3])))
    twice = prompt.replace(
        context=jax.tree.map(lambda a: jnp.concatenate([a, a]), prompt.context),
        answers=jnp.tile(prompt.answers, (2, 1)),
    )
    w_0 = jax.random.normal(KEY, (2, KEYS))
    two = jax.jit(OnePass(layout, gates, passes=2, initial_model=w_0).__call__)(prompt)
    np.testing.assert_allclose(two, jax.jit(OnePass(layout, gates, initial_model=w_0).__call__)(twice), atol=1e-12)
