"""The learners under other test distributions."""

import chex
import numpy as np
import pytest

from experiments.regression.comparison import shifts, trainees
from experiments.regression.comparison.evaluation import Evaluator
from tests.trainers.sessions import begun, settings_of

TINY = ["train.steps=2", "eval.episodes=400", "baselines.line_search_episodes=400", "baselines.init_std=0"]
SHIFT = ["alpha=[1,2]", "teacher=[2]", "noise=[0]", "law=[uniform]", "num_context=[10,20]"]


@pytest.fixture(scope="module")
def seen():
    settings = settings_of("experiment=rag_dot", "seeds=2", *TINY, *(f"shift.{s}" for s in SHIFT))
    session = begun(settings)
    evaluator = Evaluator(session, settings)
    look, before = evaluator.curve(), len(session.programs.compiled)
    result = dict(zip(shifts.places(settings), evaluator.shifted(), strict=True))
    more = len(session.programs.compiled) - before
    return look, more, {(axis, getattr(value, "name", value)): of for (axis, value), of in result.items()}


@pytest.mark.parametrize("place", [("alpha", 1.0), ("noise", 0.0), ("law", "uniform"), ("num_context", 10)])
def test_no_shift_is_the_ordinary_comparison(place, seen):
    """The same validation episodes, so the same numbers to rounding."""
    look, _, result = seen
    chex.assert_trees_all_close(result[place], look, rtol=2e-3, atol=1e-5)


def test_a_stronger_teacher_scales_every_learner(seen):
    """Predictions are linear in the context's targets, for the trained Transformer as far as documents do not count."""
    look, _, result = seen
    for name in ("gradient_descent", "constructed"):
        twice = result["teacher", 2.0]["loss"][name]["mean"]
        np.testing.assert_allclose(twice, 4 * look["loss"][name]["mean"], rtol=1e-4)


def test_the_construction_sums_over_a_context_where_gradient_descent_averages(seen):
    look, _, result = seen
    longer = result["num_context", 20]
    near, far = (of["loss"]["constructed"]["mean"] - of["loss"]["gradient_descent"]["mean"] for of in (look, longer))
    assert np.all(np.abs(near) < 1e-4)
    assert np.all(np.abs(far) > 0.1)


def test_every_learner_of_the_curve_is_there(seen):
    look, _, result = seen
    for of in result.values():
        assert of["loss"].keys() == look["loss"].keys()
        assert trainees.SUBJECT in of["loss"]


def test_shifts_in_numbers_need_no_program_but_their_draw(seen):
    """Five places and a length of 10 share what the curve has compiled; a length of 20 needs a draw, and programs for
    Transformers and for gradient descent."""
    assert seen[1] == 1 + 3
