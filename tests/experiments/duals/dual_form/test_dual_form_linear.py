"""Linear attention and gradient descent against a second implementation: gradients by hand, in NumPy, one example at a
time."""

import jax
import numpy as np
import pytest

from experiments.duals.dual_form import linear
from experiments.duals.dual_form.rows import rows_of
from experiments.duals.dual_form.settings import DualForm

SETTINGS = DualForm(examples=5, input_dim=4, output_dim=3, steps=3, learning_rate=0.3, cases=2)


def softmax(logits):
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


# dl/dyhat by hand
GRADIENTS = {
    "squared error": lambda prediction, answer: prediction - answer,
    "cross-entropy": lambda prediction, answer: softmax(prediction) - answer,
    "Hebbian": lambda prediction, answer: -answer,
}


def gradient_of_total(gradient, model, problem):
    examples = zip(problem.inputs_NxX, problem.answers_NxY, strict=True)
    return sum(np.outer(gradient(model @ x, y), x) for x, y in examples)


def batch_model(gradient, problem, rate, steps):
    model = problem.initial_YxX
    for _ in range(steps):
        model = model - rate * gradient_of_total(gradient, model, problem)
    return model


def online_model(gradient, problem, rate):
    model = problem.initial_YxX
    for x, y in zip(problem.inputs_NxX, problem.answers_NxY, strict=True):
        model = model - rate * np.outer(gradient(model @ x, y), x)
    return model


@pytest.fixture
def problem(request, float64):
    """The second of the random problems, with the answers that the loss takes."""
    drawn = jax.tree.map(lambda array: array[1], linear.problems(SETTINGS))
    return jax.tree.map(np.asarray, linear.answered_for(linear.LOSSES[request.param], drawn))


@pytest.mark.parametrize(("problem", "name"), [(name, name) for name in GRADIENTS], indirect=["problem"])
def test_both_sides_are_descent_with_gradients_by_hand(problem, name):
    loss, gradient, rate, steps = linear.LOSSES[name], GRADIENTS[name], SETTINGS.learning_rate, SETTINGS.steps
    batch, online = batch_model(gradient, problem, rate, steps), online_model(gradient, problem, rate)
    models = [linear.batch_descent(loss, problem, rate, steps)[-1], linear.online_descent(loss, problem, rate)]
    for model, expected in zip(models, (batch, online), strict=True):
        np.testing.assert_allclose(model, expected, rtol=0, atol=1e-12)
    values = [linear.batch_values(loss, problem, rate, steps)[-1], linear.online_values(loss, problem, rate)]
    for value, expected in zip(values, (batch, online), strict=True):
        attended = linear.attend(problem, problem.queries_QxX, value)
        np.testing.assert_allclose(attended, problem.queries_QxX @ expected.T, rtol=0, atol=1e-12)


def holds():
    """{(identity, loss): whether the row holds}."""
    with jax.enable_x64(True):
        rows = rows_of(linear.TOPIC, linear.STATEMENTS, linear.measure(SETTINGS))
    return {(row["identity"], row["variant"]): bool(row["holds"]) for row in rows}


def test_error_signals_of_another_loss_are_no_step_of_this_one(monkeypatch):
    right = linear.error_signals
    monkeypatch.setattr(linear, "error_signals", lambda loss, *rest: right(linear.squared_error, *rest))
    for (identity, loss), verdict in holds().items():
        assert verdict == (loss == "squared error" or identity.startswith("batch")), (identity, loss)


def test_online_steps_need_the_error_signals_of_their_own_turn(monkeypatch):
    at_the_start = linear.batch_values
    monkeypatch.setattr(linear, "online_values", lambda *problem: at_the_start(*problem, 1)[0])
    failed = {place for place, verdict in holds().items() if not verdict}
    assert failed == {("online_steps", "squared error"), ("online_steps", "cross-entropy")}


def test_a_difference_must_be_there(monkeypatch):
    batch = linear.batch_descent
    monkeypatch.setattr(linear, "online_descent", lambda *problem: batch(*problem, 1)[0])
    result = holds()
    assert not result["batch_not_online", "squared error"]
    assert not result["batch_not_online", "cross-entropy"]
