"""`accelerator`: what its checks see, on a CPU and on states that were tampered with; and its claims."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.tables.in_memory import Tables
from experiments.timing.accelerator import checks, results
from experiments.timing.accelerator.results import ALLOWED, CHECK, CHECKS, ERROR, PRECISION, UNIT, UNITS, Check
from experiments.timing.accelerator.settings import Accelerator, Scale
from experiments.timing.decoder import begun as begun_of
from lab.config.decoder import DecoderShape
from tests.run_files import table
from trainers.store import Checkpoints

pytestmark = pytest.mark.slow  # whole experiments

FLOAT32 = "float32"

SMALL = Scale(2, 4, DecoderShape(1, 8, 2, 8), 2, 3, 2, 2)


@pytest.fixture(scope="module")
def begun():
    return begun_of(SMALL.decoder, SMALL.prompts, SMALL.examples, 2)


def test_a_construction_that_descends_at_another_rate_is_seen(monkeypatch):
    right = checks.construction(0, FLOAT32)
    assert 0 < right < ALLOWED * UNITS[FLOAT32]
    made = checks.constructed
    monkeypatch.setattr(checks, "constructed", lambda shape, eta, count: made(shape, eta * (1 + 1e-5), count))
    assert checks.construction(0, FLOAT32) > ALLOWED * UNITS[FLOAT32]


def test_a_product_in_fewer_bits_is_seen(begun, monkeypatch):
    """A CPU computes no such products, so the weights are rounded to as many bits in their place."""
    member, state = begun
    assert 0 < checks.gradient(member, state, FLOAT32) < ALLOWED * UNITS[FLOAT32]
    gradient = checks._gradient

    def rounded(member, learner, episodes):
        if any(leaf.dtype == jnp.float64 for leaf in jax.tree.leaves(learner)):
            return gradient(member, learner, episodes)
        coarse = jax.tree.map(
            lambda leaf: leaf.astype(jnp.bfloat16).astype(leaf.dtype) if leaf.dtype == jnp.float32 else leaf, learner
        )
        return gradient(member, coarse, episodes)

    monkeypatch.setattr(checks, "_gradient", rounded)
    error = checks.gradient(member, state, FLOAT32)
    assert ALLOWED * UNITS[FLOAT32] < error < ALLOWED * UNITS["bfloat16"]


def test_a_training_goes_on_from_what_was_saved_and_no_other_state(begun, monkeypatch):
    member, state = begun
    assert checks.resumed(member, state, 4) == 0
    assert checks.repeated(member, state, 2) == 0
    restore = Checkpoints.restore

    def altered(self, step, like):
        restored = restore(self, step, like)
        assert restored is not None
        tree, record = restored
        return jax.tree.map(lambda leaf: leaf * (1 + 1e-6) if leaf.dtype == np.float32 else leaf, tree), record

    monkeypatch.setattr(Checkpoints, "restore", altered)
    assert checks.resumed(member, state, 4) > 0


def test_a_batch_on_all_devices_has_the_same_gradient(begun):
    assert checks.split_batch(*begun) < ALLOWED * UNITS[FLOAT32]


def test_relative_errors_are_norms():
    tree, right = {"a": np.array([3.0, 4.0]), "n": np.array(7)}, {"a": np.array([3.0, 0.0]), "n": np.array(7)}
    assert checks._relative(tree, right) == pytest.approx(4 / 3)


def test_units_of_rounding_are_half_of_the_step_behind_one():
    for precision, kind in ((FLOAT32, jnp.float32), ("bfloat16", jnp.bfloat16)):
        assert float(jnp.finfo(kind).eps) / 2 == UNITS[precision]


@pytest.mark.parametrize("error", [1e-3, float("nan")])
def test_a_training_that_differs_refutes_its_repetition(error):
    rows = [
        {CHECK: check, PRECISION: FLOAT32, ERROR: error if check is Check.REPEATED else 0.0, UNIT: UNITS[FLOAT32]}
        for check in Check
    ]
    verdicts = [claim.evaluate(Tables(**{CHECKS: rows}), {})["holds"] for claim in results.CLAIMS]
    assert verdicts == [True, True, False]


def test_a_run_on_a_cpu_is_small_and_says_so(tiny):
    assert "no accelerator was found" in tiny.outcome.stdout
    assert {row["models"] for row in table(tiny.directory, "steps")} == {"2", "1"}
    assert [claim["holds"] for claim in tiny.summary["claims"]] == [True, True, True]
    assert Accelerator().large.population == 512
