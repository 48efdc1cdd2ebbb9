"""Learners side by side in Python: what is known of them in closed form, and what a caller may get wrong."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lab
from analysis.figures import style
from analysis.metrics.theory import one_step
from experiments.compare import compare, references_of
from lab.errors import UserError
from lab.layouts.merged import TokenLayout
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent
from lab.learners.linear_transformer import LinearTransformer, Shape
from lab.learners.ridge import Ridge
from tasks.catalogue import TASKS
from tasks.plain import Plain
from trainers.recipe import Recipe

TASK = Plain(input_dim=2, num_context=4)
LAYOUT = TokenLayout.of(TASK)
SHAPE = Shape(layout=LAYOUT, num_layers=1, num_heads=1, recurrent=True)
STILL = Recipe(steps=1, batch_size=2, learning_rate=0.0)


def test_a_constructed_layer_is_its_descent():
    """In float32 at predictions of about 1: 1e-5 is a hundred roundings."""
    by_hand = constructed(SHAPE, 0.5, TASK.num_context, None)
    result = compare(TASK, {"layer": by_hand}, {"descent": GradientDescent(LAYOUT, 0.5)}, recipe=STILL, episodes=50)
    (pair,) = result.pairs
    assert (pair["learner"], pair["other"]) == ("layer", "descent")
    assert pair["prediction_l2"] < 1e-5
    assert abs(pair["loss_difference"]) < 1e-5
    assert pair["sensitivity_cosine"] == pytest.approx(1, abs=1e-5)
    losses = {row["learner"]: row["loss"] for row in result.losses}
    assert losses["layer"] == pytest.approx(losses["descent"], abs=1e-5)


def test_a_rate_is_trained_to_the_best_one_in_closed_form():
    """And each seed trains a copy: the learner that was given stays as it is. The error is over seeds."""
    mine = GradientDescent(LAYOUT, 0.1)
    recipe = Recipe(steps=300, batch_size=256, learning_rate=0.05)
    result = compare(TASK, {"mine": mine}, seeds=2, recipe=recipe, episodes=1000)
    best = one_step(TASK)
    for module in result.learners["mine"]:
        assert isinstance(module, GradientDescent)
        assert float(module.eta[...]) == pytest.approx(float(best.eta), rel=0.05)
    assert float(mine.eta[...]) == pytest.approx(0.1)
    rows = {row["learner"]: row for row in result.losses}
    assert {*rows} == {"mine", "gradient_descent", "least_squares", "optimal"}
    assert rows["mine"]["loss"] == pytest.approx(float(best.loss), abs=4 * rows["mine"]["stderr"] + 0.02)
    assert rows["optimal"]["loss"] < rows["gradient_descent"]["loss"]
    assert len(result.pairs) == 6
    assert "mine and gradient_descent: loss difference " in str(result)
    with style.closed():
        assert len(result.plot().axes) == 2


def test_a_function_of_a_key_gives_each_seed_its_own_weights():
    result = lab.compare(
        TASK, {"a": lambda key: LinearTransformer(SHAPE, key, 1.0)}, {}, recipe=STILL, seeds=2, episodes=4
    )
    first, second = (jax.tree.leaves(module) for module in result.learners["a"])
    assert any(np.any(np.asarray(a) != np.asarray(b)) for a, b in zip(first, second, strict=True))
    assert result.pairs == []


class Flat(Ridge):
    """A learner without the axis of outputs, which would be broadcast against the targets."""

    def __call__(self, prompt):
        return super().__call__(prompt)[:, 0]


def test_references_are_those_that_a_task_has():
    assert {*references_of(TASK)} == {"gradient_descent", "least_squares", "optimal"}
    assert {*references_of(TASKS["rag_dot"]())} == {"gradient_descent", "least_squares"}


class FailsAtLargeTargets(GradientDescent):
    """Answers NaN to prompts with a large target, and else as gradient descent does."""

    def readouts(self, prompt):
        return jnp.where(jnp.max(jnp.abs(prompt.answers)) > 1.5, jnp.nan, super().readouts(prompt))


def test_an_answer_that_is_no_number_has_no_loss():
    """The other episodes are easier: their mean loss would be lower than the loss of a learner that never fails."""
    learners = {"fails": FailsAtLargeTargets(LAYOUT, 0.5), "descent": GradientDescent(LAYOUT, 0.5)}
    result = compare(TASK, {}, learners, seeds=2, episodes=100)
    assert [np.isnan(row["loss"]) for row in result.losses] == [True, False]
    assert np.isnan([result.pairs[0][name] for name in ("loss_difference", "prediction_l2")]).all()


@pytest.mark.parametrize(
    ("task", "learners", "references", "line"),
    [
        ("plian", {}, "auto", r"task 'plian': no such task; did you mean plain\?"),
        ("tabular", {}, "auto", "task 'tabular': it is made of data; give a task"),
        ("clicks", {}, "auto", "task Clicks: its inputs are no real numbers"),
        (
            TASK,
            {"least_squares": Ridge(LAYOUT, 0.1)},
            "auto",
            "least_squares: a learner and a reference have",
        ),
        (TASK, {}, "ridge", "references 'ridge': allowed are 'auto' and {name: module}"),
        (TASK, {}, {"mean": lambda prompt: 0 * prompt.target}, "mean: a function; it must inherit from .*Learner"),
        (TASK, {"mine": Flat(LAYOUT, 0.1)}, {}, r"mine: its answer to a prompt has the shape \(1,\), not .* \(1, 1\)"),
        (TASK, {}, {"mine": Flat(LAYOUT, 0.1)}, r"mine: its answer to a prompt has the shape \(1,\), not .* \(1, 1\)"),
    ],
)
def test_what_cannot_be_compared(task, learners, references, line):
    with pytest.raises(UserError, match=line):
        compare(task, learners, references)
