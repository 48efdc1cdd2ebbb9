"""What tokens behind a first layer depend on, against differences and a matrix whose means are known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics.copying import dependence, summary
from lab.config.choices import AttentionKind
from lab.learners.interleaved import constructed
from tasks.catalogue import TASKS
from tests.lab.makers import prompts_of
from tests.lab.test_interleaved import random_model, shape_of

TASK = TASKS["plain"](num_context=3, input_dim=2)


@pytest.mark.slow
@pytest.mark.parametrize("first", AttentionKind)
def test_dependence_is_that_of_differences(first, float64):
    """Central differences of width 1e-5 are good to 1e-10 times third derivatives, and rounding to 1e-11."""
    model, prompts = random_model(TASK, first=first), prompts_of(TASK, 2)
    width, expected = 1e-5, np.zeros((2, 7, 7))
    for index in range(2):
        prompt = jax.tree.map(lambda leaf, index=index: leaf[index], prompts)
        tokens = np.concatenate(model.tokens(prompt))
        for attended in range(7):
            squares = np.zeros(7)
            for slot in (0, 1, tokens.shape[1] - 1):  # two inputs, an answer
                ends = []
                for sign in (1, -1):
                    moved = tokens.copy()
                    moved[attended, slot] += sign * width
                    ends.append(np.concatenate(model.merged(jnp.asarray(moved[:6]), jnp.asarray(moved[6:]))))
                squares += (((ends[0] - ends[1]) / (2 * width)) ** 2).sum(axis=1)
            expected[index, :, attended] = np.sqrt(squares)
    np.testing.assert_allclose(jax.jit(dependence)(model, prompts), expected.mean(axis=0), atol=1e-7)


def test_the_construction_depends_on_the_next_token_alone(float64):
    """An input's token on its answer's by 1, the slot that is copied; every token on itself by the root of 3 slots."""
    result = dependence(constructed(shape_of(TASK, first=AttentionKind.linear), 1.0), prompts_of(TASK, 2))
    expected = np.sqrt(3) * np.eye(7)
    expected[[0, 2, 4], [1, 3, 5]] = 1
    np.testing.assert_allclose(result, expected, atol=1e-12)
    assert summary(np.asarray(result), 3) == pytest.approx({"own": 3**0.5, "next": 1, "previous": 0, "others": 0})


def test_summary_takes_means_over_pairs_of_tokens():
    """Examples 1 and 2; the query's row and column do not count."""
    matrix = np.array(
        [
            [1.0, 10.0, 100.0, 200.0, 9.0],
            [20.0, 3.0, 300.0, 400.0, 9.0],
            [500.0, 600.0, 5.0, 30.0, 9.0],
            [700.0, 800.0, 40.0, 7.0, 9.0],
            [9.0] * 5,
        ]
    )
    assert summary(matrix, 2) == {"own": 4.0, "next": 20.0, "previous": 30.0, "others": 450.0}
    assert summary(matrix[:2, :2], 1)["others"] == 0.0
