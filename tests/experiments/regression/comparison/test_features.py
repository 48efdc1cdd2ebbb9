"""How much trained learners use each input column: the table beside differences in float64; and what claims on the
normalisation of inputs are made of."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics.answers import answers_of
from analysis.tables.in_memory import Tables
from experiments.regression.comparison import by_feature
from experiments.regression.comparison.normalization import gini, roughness, skewed
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from tasks.episode import Episode, Inputs, Prompt
from tasks.plain import Plain

RNG = np.random.default_rng(0)


@pytest.mark.slow
def test_sensitivities_are_mean_absolute_slopes():
    """Of two steps of gradient descent, by central differences, which are exact for an answer that is linear in the
    query."""
    with jax.enable_x64(True):
        context, answers = RNG.normal(size=(6, 5, 3)), RNG.normal(size=(6, 5, 1))
        query, slopes = RNG.normal(size=(6, 1, 3)), RNG.normal(size=(6, 1, 3))
        learner = GradientDescent(TokenLayout((("x", 3),), 1), jnp.float64(0.3), steps=2)

        def prompt(query):
            return Prompt(Inputs(jnp.asarray(context)), jnp.asarray(answers), Inputs(jnp.asarray(query)))

        episodes = Episode(prompt(query), jnp.zeros((6, 1, 1)), slopes=jnp.asarray(slopes))
        found = by_feature.sensitivities({"descent": answers_of(learner, Plain(input_dim=3), episodes)})["descent"]
        for i in range(3):
            step = np.zeros(3)
            step[i] = 0.5
            up, down = (learner.batch(prompt(query + sign * step)) for sign in (1, -1))
            derivative_B = np.asarray(up - down)[:, 0, 0]
            assert found["sensitivity"][i] == pytest.approx(np.mean(np.abs(derivative_B)), rel=1e-12)
            in_z = np.mean(np.abs(derivative_B * slopes[:, 0, i]))
            assert found["sensitivity_z"][i] == pytest.approx(in_z, rel=1e-12)
        without = Episode(episodes.prompt, episodes.target)
        assert by_feature.sensitivities({"descent": answers_of(learner, Plain(input_dim=3), without)}) == {}


def test_rows_are_those_of_each_seed():
    features = {"transformer": {"sensitivity": np.array([[1.0, 2.0], [3.0, 4.0]]), "sensitivity_z": np.ones((2, 2))}}
    rows = by_feature.rows([5, 6], ["a", "b"], features)
    assert [(row["seed"], row["column"], row["sensitivity"]) for row in rows] == [
        (5, "a", 1.0), (5, "b", 2.0), (6, "a", 3.0), (6, "b", 4.0),
    ]  # fmt: skip


@pytest.mark.parametrize("count", [2, 3, 8])
def test_gini_is_half_the_relative_mean_difference(count):
    values = RNG.exponential(size=count)
    pairs = itertools.product(values, repeat=2)
    expected = np.mean([abs(a - b) for a, b in pairs]) / (2 * values.mean())
    assert gini(values.tolist()) == pytest.approx(expected, rel=1e-12)
    assert gini([3.0] * count) == pytest.approx(0, abs=1e-15)
    assert gini([0.0] * (count - 1) + [2.0]) == pytest.approx(1 - 1 / count)


def test_skewed_columns_are_those_under_min_max_and_named_ones():
    columns = {"skewed": 1.6, "even": 0.5, "named": 0.2, "rare": 90.0}
    rows = [
        {"data": data, "data.normalization": how, "column": column, "skewness": skewness, "median": 0.1}
        for data, how in (("wine", "minmax"), ("wine", "rank"), ("bike", "minmax"))
        for column, skewness in columns.items()
    ]
    medians = skewed("wine", "median", lambda row: row.number("median"), named=("named",)).numbers(Tables(inputs=rows))
    assert {column: each.mean for column, each in medians.items()} == {"skewed": 0.1, "named": 0.1, "rare": 0.1}


def test_roughness_is_the_mean_change_over_the_mean_of_the_second_half_of_training():
    rows = [
        {"data": "wine", "data.normalization": "minmax", "seed": seed, "step": step,
         "learned_descent.prediction_l2": distance * (1 + seed)}
        for step, distance in enumerate((9.0, 5.0, 1.0, 2.0, 1.5))
        for seed in (0.0, 1.0)
    ]  # fmt: skip
    assert roughness("wine", "minmax").numbers(Tables(curves=rows))[""].by_seed == {0.0: 0.5, 1.0: 0.5}
