"""The identities against a second implementation: gradients by hand, in NumPy, one example at a time."""

import time

import jax
import numpy as np
import pytest

from analysis.figures import dual_form as dual_form_figure
from analysis.figures import style
from analysis.tables.select import NotMeasured
from lab.config.dual_form import DualForm
from trainers.experiments import dual_form

SETTINGS = DualForm(examples=5, input_dim=4, output_dim=3, steps=3, rate=0.3, cases=2)


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
    drawn = jax.tree.map(lambda array: array[1], dual_form.problems(SETTINGS))
    return jax.tree.map(np.asarray, dual_form.answered_for(dual_form.LOSSES[request.param], drawn))


@pytest.mark.parametrize(("problem", "name"), [(name, name) for name in GRADIENTS], indirect=["problem"])
def test_both_sides_are_descent_with_gradients_by_hand(problem, name):
    loss, gradient, rate, steps = dual_form.LOSSES[name], GRADIENTS[name], SETTINGS.rate, SETTINGS.steps
    batch, online = batch_model(gradient, problem, rate, steps), online_model(gradient, problem, rate)
    models = [dual_form.batch_descent(loss, problem, rate, steps)[-1], dual_form.online_descent(loss, problem, rate)]
    for model, expected in zip(models, (batch, online), strict=True):
        np.testing.assert_allclose(model, expected, rtol=0, atol=1e-12)
    values = [dual_form.batch_values(loss, problem, rate, steps)[-1], dual_form.online_values(loss, problem, rate)]
    for value, expected in zip(values, (batch, online), strict=True):
        attended = dual_form.attend(problem, problem.queries_QxX, value)
        np.testing.assert_allclose(attended, problem.queries_QxX @ expected.T, rtol=0, atol=1e-12)


def holds():
    """{(identity, loss): whether the row holds}."""
    with jax.enable_x64(True):
        rows = dual_form.identities(SETTINGS)
    return {(row["identity"], row["loss"]): bool(row["holds"]) for row in rows}


def test_every_statement_holds():
    found = holds()
    assert len(found) == 12
    assert all(found.values())


def test_error_signals_of_another_loss_are_no_step_of_this_one(monkeypatch):
    right = dual_form.error_signals
    monkeypatch.setattr(dual_form, "error_signals", lambda loss, *rest: right(dual_form.squared_error, *rest))
    for (identity, loss), verdict in holds().items():
        assert verdict == (loss == "squared error" or identity.startswith("batch")), (identity, loss)


def test_online_steps_need_the_error_signals_of_their_own_turn(monkeypatch):
    at_the_start = dual_form.batch_values
    monkeypatch.setattr(dual_form, "online_values", lambda *problem: at_the_start(*problem, 1)[0])
    failed = {place for place, verdict in holds().items() if not verdict}
    assert failed == {("online_steps", "squared error"), ("online_steps", "cross-entropy")}


def test_a_difference_must_be_there(monkeypatch):
    batch = dual_form.batch_descent
    monkeypatch.setattr(dual_form, "online_descent", lambda *problem: batch(*problem, 1)[0])
    found = holds()
    assert not found["batch_not_online", "squared error"]
    assert not found["batch_not_online", "cross-entropy"]


def test_an_error_that_is_no_number_does_not_hold():
    for identity in dual_form.STATEMENTS:
        assert not dual_form.row(identity, "Hebbian", np.array([0.0, np.nan]))["holds"]


class Directory:
    """A run's directory that has the one table."""

    def __init__(self, rows):
        self.rows = rows

    def read_table(self, name):
        assert name == "identities"
        return self.rows


class Record:
    """A run that keeps what is written to it."""

    def __init__(self, settings):
        self.settings = settings
        self.tables = {}

    def table(self, name, rows):
        self.tables[name] = rows

    def numbers(self, values):
        self.values = values


@pytest.fixture(scope="module")
def record():
    record = Record(DualForm())
    start = time.process_time()
    dual_form.run([record])
    record.seconds = time.process_time() - start
    return record


def test_a_run_writes_the_table_and_its_headline(record):
    rows = record.tables["identities"]
    assert all(row["holds"] for row in rows)
    assert record.values["largest_error"] < 1e-13
    assert record.values["batch_against_online"] > 0.01
    assert record.values["statements_that_hold"] == record.values["statements"] == len(rows)
    assert record.seconds < 5, "of computing, whatever else the machine does"


def test_the_figure_draws_what_holds_and_what_does_not(record):
    rows = [dict(row) for row in record.tables["identities"]]
    rows[0] |= {"error": 0.0}
    rows[1] |= {"error": 1.0, "holds": 0}
    with style.paper():
        figure = dual_form_figure.draw(Directory(rows))
    assert len(figure.axes) == len(dual_form.STATEMENTS)
    lines = [line for axes in figure.axes for line in axes.lines]
    assert all(min(line.get_xdata()) > 0 for line in lines), "an error of zero has a place on a logarithmic axis"
    markers = [line.get_marker() for line in lines]
    assert [markers.count(marker) for marker in "oxD"] == [9, 1, 2]
    style.plt.close(figure)


def test_verdicts(record):
    rows = record.tables["identities"]
    verdicts = [claim.evaluate(Directory(rows), {}) for claim in dual_form_figure.CLAIMS]
    assert [verdict["holds"] for verdict in verdicts] == [True] * 4
    assert all(set(verdict["measured"]) == set(dual_form.LOSSES) for verdict in verdicts)
    for index, identity in enumerate(("one_step", "several_steps", "online_steps", "batch_not_online")):
        beyond = {"equal": 1.0, "different": 0.0}
        wrong = [row | {"error": beyond[row["relation"]]} if row["identity"] == identity else row for row in rows]
        verdicts = [claim.evaluate(Directory(wrong), {})["holds"] for claim in dual_form_figure.CLAIMS]
        assert verdicts == [i != index for i in range(4)]


def test_no_verdict_without_the_rows(record):
    with pytest.raises(NotMeasured):
        dual_form_figure.judge(Directory([]), "one_step")
