"""Learners of the user's own in a comparison: which are trained, and that nobody else's numbers change."""

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from analysis.metrics.theory import one_step
from experiments.regression.comparison import evaluation, own_learners, shifts
from experiments.regression.comparison import run as experiment
from lab.errors import ConfigError, UserError
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.given import Constant
from lab.learners.learner import Learner
from lab.learners.roles import Role
from tests.trainers.sessions import begun, records_of, settings_of

PLAIN = ["experiment=plain", "train.batch_size=16", "eval.episodes=50", "baselines.line_search_episodes=100"]
OWN = "learners=[own_rate,ones]"


class OwnRate(Learner):
    """Gradient descent at a rate that is learned, from a random one."""

    def __init__(self, layout: TokenLayout, key: jax.Array):
        self.descent = GradientDescent(layout, jax.random.uniform(key))

    def __call__(self, prompt):
        return self.descent(prompt)


class Flat(Constant):
    """Answers without the axis of the outputs, which would broadcast silently."""

    def __call__(self, prompt):
        return super().__call__(prompt)[:, 0]


@pytest.fixture(autouse=True)
def own(tables):
    makes = {
        "own_rate": lambda task, key: OwnRate(TokenLayout.of(task), key),
        "ones": lambda task, key: Constant(jnp.ones(task.answer_dim)),
        "flat": lambda task, key: Flat(jnp.ones(task.answer_dim)),
    }
    for name, make in makes.items():
        own_learners.register(Role(name, f"mine: {name}", "#CC6677", "-", "a learner of a test"), make)


def trained(*words):
    """The statistics of a curve's learners after four steps, and the session."""
    settings = settings_of(*PLAIN, *words)
    session = begun(settings)
    losses = session.advance(4)
    return evaluation.Evaluator(session, settings).curve(), losses, session, settings


@pytest.fixture(scope="module")
def alone():
    return trained()[:2]


@pytest.mark.slow
def test_the_others_numbers_do_not_change(alone):
    """The Transformer sees the same episodes, and so does everybody that it is compared with."""
    seen, losses, session, _ = trained(OWN)
    assert seen["loss"].keys() - alone[0]["loss"].keys() == {"own_rate", "ones"}
    assert seen["alignment"].keys() - alone[0]["alignment"].keys() == {"own_rate", "ones"}
    assert session.states.keys() == {"transformer", "own_rate"}, "what has no parameters is not trained"
    references = {name: [*others] for name, others in seen["own"].items()}
    assert references == {"own_rate": ["gradient_descent"], "ones": ["gradient_descent"]}
    for kind, expected in alone[0].items():
        chex.assert_trees_all_close({name: seen[kind][name] for name in expected}, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(losses["transformer"], alone[1]["transformer"], rtol=1e-6)


@pytest.mark.slow
def test_a_learner_with_parameters_is_meta_trained():
    """By the same recipe on the same episodes: steps of adam bring a rate from (0, 1) to the best one in theory."""
    words = ["seeds=2", "train.learning_rate=0.1", "train.steps=60", "train.batch_size=256"]
    session = begun(settings_of(*PLAIN, "learners=[own_rate]", *words))
    before = session.trained["own_rate"].descent.eta[...]
    assert before[0] != before[1], "a key of its own for each seed"
    assert session.advance(60)["own_rate"].shape == (2, 60)
    best = float(one_step(session.task).eta)
    assert np.all(before < 0.7 * best)
    np.testing.assert_allclose(session.trained["own_rate"].descent.eta[...], [best, best], rtol=0.1)


def test_both_are_among_the_shifts():
    settings = settings_of(*PLAIN, OWN, "shift.alpha=[2]")
    session = begun(settings)
    (there,) = evaluation.Evaluator(session, settings).shifted()
    assert shifts.places(settings) == [("alpha", 2.0)]
    assert {"own_rate", "ones"} <= there["loss"].keys() & there["alignment"].keys()


@pytest.mark.slow
def test_the_end_has_them_too_and_their_structures_can_be_kept():
    settings = settings_of(*PLAIN, OWN)
    session = begun(settings)
    final = evaluation.Evaluator(session, settings).final()
    assert {"own_rate", "ones", "ridge"} <= final["loss"].keys()
    assert not [name for name in final["loss"] if "shuffled" in name and name != "shuffled"]
    for others in final["own"].values():
        assert {"gradient_descent", "constructed", "mean", "ridge", "oracle", "shuffled"} <= others.keys()
        assert not {"transformer", "interpolated", "own_rate", "ones"} & others.keys()
    ones = final["own"]["ones"]
    apart = {name: final["alignment"][name]["loss_difference"]["mean"] for name in ("gradient_descent", "ones")}
    np.testing.assert_allclose(
        ones["gradient_descent"]["loss_difference"]["mean"], apart["gradient_descent"] - apart["ones"], rtol=1e-4
    )
    np.testing.assert_allclose(ones["mean"]["prediction_l2"]["mean"], 1.0, rtol=1e-6)
    np.testing.assert_allclose(ones["shuffled"]["prediction_l2"]["mean"], 0.0, atol=1e-7)
    assert final["own"]["own_rate"]["shuffled"]["prediction_l2"]["mean"] > 0.01, "its labels matter"
    assert "own" not in evaluation.Evaluator(begun(settings_of(*PLAIN)), settings_of(*PLAIN)).curve()
    structures = experiment.learners(settings)
    assert structures.keys() == {"transformer", "own_rate"}
    (eta,) = jax.tree.leaves(nnx.state(structures["own_rate"], nnx.Param))
    assert eta.shape == ()


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("learners=[nosuch]", r"^learners: nosuch: no such learner; allowed: own_rate, ones, flat$"),
        ("learners=[ridge]", r"^learners: ridge: always takes part; allowed: own_rate, ones, flat$"),
    ],
)
def test_an_unknown_name_is_one_line(word, line):
    with pytest.raises(ConfigError, match=line):
        experiment.check(settings_of(*PLAIN, word))


def test_nothing_is_registered(monkeypatch):
    monkeypatch.setattr(own_learners, "OWN", {})
    with pytest.raises(ConfigError, match=r"^learners: x: no such learner; allowed: none, as no file of your own"):
        experiment.check(settings_of(*PLAIN, "learners=[x]"))


def test_one_is_named_once():
    with pytest.raises(ConfigError, match=r"^learners=\[ones,ones\]: each once"):
        settings_of(*PLAIN, "learners=[ones,ones]")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nothing", "endless"])
def test_answers_that_are_no_numbers_are_refused_before_the_training(name, tmp_path, monkeypatch):
    """By the learner's name and the seed; a learner without parameters has no rate to lower."""
    bad = {"nothing": jnp.nan, "endless": jnp.inf}[name]
    role = Role(name, f"mine: {name}", "#CC6677", "-", "a learner of a test")
    own_learners.register(role, lambda task, key: Constant(jnp.full(task.answer_dim, bad)))
    monkeypatch.chdir(tmp_path)
    (record,) = records_of(words=[*PLAIN, f"learners=[{name}]", "train.steps=20"])
    with record.at_work():
        experiment.run([record])
    assert str(record.failure) == f"the validation loss of {name} is not a finite number at step 0 with seed 0"


def test_answers_of_another_shape_are_refused():
    with pytest.raises(UserError, match=r"^learners: flat: .* has the shape \(1,\), not \(Q, A\) = \(1, 1\)"):
        begun(settings_of(*PLAIN, "learners=[flat]"))
