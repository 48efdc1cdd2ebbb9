"""The table `identities`: what a run writes, what it takes for a row to hold, the figure and the verdicts."""

import dataclasses
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.tables.in_memory import Tables
from experiments.duals.dual_form import figure as dual_form_figure
from experiments.duals.dual_form import layers, linear, passes, regularizers, softmax
from experiments.duals.dual_form import run as experiment
from experiments.duals.dual_form.heads import Head
from experiments.duals.dual_form.results import CLAIMS
from experiments.duals.dual_form.rows import Bounded, Statement, row, rows_of
from experiments.duals.dual_form.settings import DualForm
from lab import dual
from lab.config.choices import Topic
from tests.recorded import Recorded

FEW = DualForm(examples=5, input_dim=4, instructions=2, perturbations=2, cases=2)


def failing(topic):
    """The (identity, variant) of a topic's rows that do not hold."""
    with jax.enable_x64(True):
        rows = rows_of(topic.TOPIC, topic.STATEMENTS, topic.measure(FEW))
    return {(row["identity"], row["variant"]) for row in rows if not row["holds"]}


def test_the_gradient_has_one_size(monkeypatch):
    right = dual.gradient
    monkeypatch.setattr(dual, "gradient", lambda *rest, **more: (1 + 1e-9) * right(*rest, **more))
    # A step that is 1e-9 too long: at the huge norm one key has all attention, and may have it by its W_0 alone.
    assert failing(softmax) >= {
        ("dual_step", "kernel"),
        ("dual_step", "kernel, norm x 2"),
        ("ratio_form", "kernel"),
    }


def test_the_l2_term_counts(monkeypatch):
    right = dual.gradient
    monkeypatch.setattr(
        dual, "gradient", lambda model, values, tokens, c, rate, alpha: right(model, values, tokens, c, rate)
    )
    identities = ("shrunk_values", "shrunk_start", "shrunk_first_step", "shrunk_by_steps")
    assert failing(regularizers) == {(identity, "kernel") for identity in identities}


def test_a_tangent_is_no_secant(monkeypatch):
    monkeypatch.setattr(dual, "secant", lambda act, z: jnp.vectorize(jax.grad(act))(z))
    assert failing(layers) == {("secant_activation", "GELU")}


def test_what_is_lost_without_demonstrations_is_measured(monkeypatch):
    """Where leaving demonstrations out changes nothing, the rows that say what it loses do not hold."""
    right = Head.without
    monkeypatch.setattr(
        Head, "without", lambda head, tokens: head if tokens is head.demonstrations_S else right(head, tokens)
    )
    lost = {("frozen_activation", name) for name in ("ReLU", "GELU", "SwiGLU")} | {("frozen_layer_norm", "kernel")}
    assert failing(layers) == lost | {("flipped_signs", "any activation")}


DIFFERENT = Statement("They differ.", relation="different")
SHARE, EVERY = (dataclasses.replace(DIFFERENT, **{name: True}) for name in ("share", "in_every_case"))
EQUAL, NEAR = Statement("They are equal."), Statement("They are near.", relation="approximate")


@pytest.mark.parametrize(
    ("statement", "value", "error", "holds"),
    [
        (EQUAL, np.array([0.0, 9e-13]), 9e-13, True),
        (EQUAL, np.array([0.0, 2e-12]), 2e-12, False),
        (EQUAL, np.array([0.0, np.nan]), np.nan, False),
        (DIFFERENT, np.array([0.0, 2e-9]), 2e-9, True),
        (DIFFERENT, np.array([0.0, 9e-10]), 9e-10, False),
        (DIFFERENT, np.array([0.1, np.nan]), np.nan, False),
        (DIFFERENT, np.array([0.1, np.inf]), np.inf, False),
        (SHARE, np.array([0.0, 0.6]), 0.3, True),  # a mean
        (EVERY, np.array([0.0, 0.6]), 0.0, False),  # one case in which they are equal is enough
        (NEAR, Bounded(np.array([0.1]), np.array([0.2])), 0.1, True),
        (NEAR, Bounded(np.array([0.1]), np.array([0.05])), 0.1, False),
        (NEAR, Bounded(np.array([np.nan]), np.array([1.0])), np.nan, False),
    ],
)
def test_the_error_over_all_cases_and_what_a_row_takes_to_hold(statement, value, error, holds):
    made = row("topic", "identity", statement, "variant", value)
    assert (made["error"], made["holds"]) == (pytest.approx(error, nan_ok=True), holds)


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    record = Recorded(DualForm(), tmp_path_factory.mktemp("dual_form"))
    start = time.process_time()
    experiment.run([record])
    record.seconds = time.process_time() - start
    return record


@pytest.mark.slow
def test_a_run_writes_the_table_and_its_headline(record):
    rows = record.tables["identities"]
    assert all(row["holds"] for row in rows)
    assert record.values["largest_error"] < 1e-13
    assert record.values["batch_against_online"] > 0.01
    assert record.values["statements_that_hold"] == record.values["statements"] == len(rows)
    assert len(record.notes) == 4
    assert record.seconds < 15, "of computing, whatever else the machine does"


def test_the_figure_draws_what_holds_and_what_does_not(record, drawn):
    rows = [dict(row) for row in record.tables["identities"]]
    rows[0] |= {"error": 0.0}
    rows[1] |= {"error": 1.0, "holds": 0}
    lines = [line for axes in dual_form_figure.draw(Tables(identities=rows)).axes for line in axes.lines]
    assert all(min(line.get_xdata()) > 0 for line in lines), "an error of zero has a place on a logarithmic axis"
    markers = [line.get_marker() for line in lines]
    assert (markers.count("x"), sum(map(markers.count, "oDs"))) == (1, len(rows) - 1)


def test_verdicts(record):
    """Two sentences of the source do not hold by their words: what W_0 depends on, and which loss it is."""
    rows = record.tables["identities"]
    verdicts = [claim.evaluate(Tables(identities=rows), {}) for claim in CLAIMS]
    failing = [verdict["source"] for verdict in verdicts if not verdict["holds"]]
    assert [place.partition(" (")[0] for place in failing] == [
        "LRGD, section 3.3, below eq. 10",
        "LRGD, section 3.3, training phase",
        "LRGD, section 3.3, sequential token generation",
    ]
    assert [len(verdict["measured"]) for verdict in verdicts[:2]] == [len(linear.LOSSES), 2 * len(linear.LOSSES)]


def test_a_run_of_some_topics(tmp_path):
    few = Recorded(dataclasses.replace(FEW, topics=[Topic.passes]), tmp_path)
    experiment.run([few])
    rows = few.tables["identities"]
    assert {each["topic"] for each in rows} == {passes.TOPIC}
    assert few.values["statements"] == len(rows)
    verdicts = [claim.evaluate(Tables(identities=rows), {})["holds"] for claim in CLAIMS]
    assert (verdicts.count(True), verdicts.count(False)) == (1, 0), "the others were not measured"


def test_every_row_counts_for_a_verdict(record):
    """A row whose error is on the wrong side of its bound turns a verdict that holds."""
    rows = record.tables["identities"]
    held = [claim for claim in CLAIMS if claim.evaluate(Tables(identities=rows), {})["holds"]]
    turning = set()
    for i, each in enumerate(rows):
        wrong = each | {"error": 0.0 if each["relation"] == "different" else 1e3}
        changed = Tables(identities=[*rows[:i], wrong, *rows[i + 1 :]])
        if any(not claim.evaluate(changed, {})["holds"] for claim in held):
            turning.add(each["identity"])
    assert turning == {each["identity"] for each in rows} - {
        "start_demonstrations",
        "cosine_loss",
        "generated_as_written",
        "taylor_features",  # a theorem bounds them, which no claim repeats
    }
