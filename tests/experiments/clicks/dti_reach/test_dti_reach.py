"""`dti_reach` on a tiny budget: what is expected of schemes, what it takes for a row to hold, tables and verdicts."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.tables.in_memory import Tables
from analysis.tables.select import Row
from experiments.clicks.dti_reach import results, theorems
from experiments.clicks.dti_reach import run as experiment
from experiments.clicks.dti_reach.settings import DtiReach, ReachEval, ReachModel
from experiments.clicks.dti_reach.theorems import Case
from lab.config.choices import Position, StreamScheme
from tests.run_files import summary_of, table

pytestmark = pytest.mark.slow  # whole experiments

SMALL = ["num_context=2", "num_targets=3", "model.width=8", "model.mlp_width=8", "eval.users=2", "layers=[1,2]"]


@pytest.mark.parametrize(
    ("scheme", "layers", "isolates", "expected"),
    [
        ("naive", 1, False, 6),
        ("naive", 2, False, 12),
        ("naive", 3, False, 13),  # all that there are
        ("full", 1, False, 13),
        ("local", 3, False, 6),
        ("split", 3, False, 6),
        ("dti", 3, False, 13),
        ("dti", 3, True, 6),
        ("own", 2, True, 6),
        ("reset_last", 2, True, 6),
        ("reset_last", 3, True, 12),
    ],
)
def test_expected_reach(scheme, layers, isolates, expected):
    assert theorems.reach(Case(StreamScheme(scheme), Position.rope, layers, isolates), 6, 13) == expected


@pytest.mark.parametrize(
    ("scheme", "positions", "layers", "isolates", "expected"),
    [
        ("no_id", "rope", 1, False, True),
        ("no_id", "rope", 2, False, False),
        ("no_id", "learned", 1, False, False),
        ("naive", "rope", 1, False, False),
        ("naive", "none", 1, False, True),
        ("literal", "rope", 1, False, False),
        ("literal", "alibi", 1, False, True),
        ("alibi", "rope", 1, False, True),
        ("own", "rope", 3, True, True),
        ("reset", "rope", 3, True, False),
        ("local", "alibi", 3, False, True),
        ("local", "learned", 3, False, False),
        ("full", "none", 1, False, False),
    ],
)
def test_expected_equality(scheme, positions, layers, isolates, expected):
    assert theorems.is_shared(Case(StreamScheme(scheme), Position(positions), layers, isolates), 6, 13) == expected


def test_what_a_row_takes_to_hold():
    case = Case(StreamScheme.no_id, Position.rope, 2)

    def holds(first=1e-16, every=0.1, banded=1e-15, farthest=12):
        errors = {results.FIRST: first, results.ALL: every, results.BANDED: banded}
        return {row["identity"]: row["holds"] for row in theorems.rows(case, 6, errors, farthest, 13)}

    assert set(holds().values()) == {1}
    assert holds(first=1e-9)["first_target"] == 0
    assert holds(every=1e-12)["all_targets"] == 0, "they are expected to differ"
    assert holds(banded=np.nan)["banded"] == 0
    assert [holds(farthest=each)["reach"] for each in (11, 12, 13)] == [0, 1, 0]


def test_schemes_with_a_reset_are_also_checked_where_it_isolates():
    result = theorems.cases([*StreamScheme], [Position.rope], [1])
    assert {case.scheme.value for case in result if case.isolates} == {"reset", "dti", "reset_last", "own"}
    assert len(result) == 11 + 4


def test_norms_are_those_of_differences(float64):
    """Against central differences in one direction, whose slope is the gradient's part in it, interaction by
    interaction: their errors are of the order of 1e-5 squared."""
    settings = DtiReach(
        num_context=2, num_targets=2, model=ReachModel(width=4, num_heads=2, mlp_width=4), eval=ReachEval(1)
    )
    decoder, prompts, _ = experiment.decoder_and_prompts(settings, Case(StreamScheme.naive, Position.none, 1))
    _, norm_M = experiment.answers_and_norms(decoder, prompts)
    stream = jax.tree.map(lambda each: each[0], prompts)

    @jax.jit
    def logit(shift):
        return decoder.logits(stream, shift)[-1] @ jnp.array([-1.0, 1.0])

    gradient = jax.jit(jax.grad(logit))(jnp.zeros((4, 3, 4)))
    by_place = jnp.linalg.norm(gradient.reshape(4, -1), axis=1)
    np.testing.assert_allclose(by_place[::-1], norm_M, rtol=1e-12)
    direction = jax.random.normal(jax.random.key(0), (3, 4))
    for place in range(4):
        step = jnp.zeros((4, 3, 4)).at[place].set(1e-5 * direction)
        slope = (logit(step) - logit(-step)) / 2e-5
        assert float(slope) == pytest.approx(float(jnp.sum(gradient[place] * direction)), abs=1e-8)
    assert norm_M[3] == 0, "older than the window of the last target"
    assert norm_M[2] > 0


def test_leak_is_the_share_beyond_the_window():
    norm_M = np.array([1.0, 2.0, 1.0, 0.0, 1.0, 0.0])
    assert experiment.leak(norm_M, 2) == pytest.approx(1 / 5)
    assert experiment.farthest(norm_M) == 4
    assert sum(row["share"] for row in experiment.norm_rows({}, norm_M)) == pytest.approx(1)


def test_all_theorems_hold(folder):
    rows = table(folder, "theorems")
    assert all(row["holds"] == "1" for row in rows)
    assert summary_of(folder)["numbers"]["statements_that_hold"] == len(rows) == 7 * 2 * 4
    verdicts = {claim["statement"]: claim["holds"] for claim in summary_of(folder)["claims"]}
    assert [*verdicts.values()] == [False, False, True, True, True, True, True]


@pytest.mark.parametrize(("reach", "leak", "expected"), [(4.0, 0.1, [True, True]), (3.0, 0.0, [False, False])])
def test_verdicts_on_reach_and_reset_follow_the_numbers(reach, leak, expected):
    """Two layers, a window of 2, and a prompt that goes 4 interactions back."""
    place = {"positions": "rope", "layers": 2.0, "isolates": 0.0}
    leaks = [Row(place | {"scheme": scheme, "reach": reach, "leak": leak}) for scheme in ("naive", "dti")]
    by_distance = [Row(place | {"scheme": "naive", "window": 2.0, "distance": float(d)}) for d in range(5)]
    tables = Tables(leaks=leaks, reach=by_distance)
    words = ("L n interactions back", "does not stop")
    chosen = [claim for claim in results.CLAIMS if any(each in claim.statement for each in words)]
    assert [claim.evaluate(tables, {})["holds"] for claim in chosen] == expected
