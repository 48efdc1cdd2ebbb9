"""Metrics between learners, against closed forms, finite differences and themselves."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics import answers as evaluation
from analysis.metrics.alignment import BLOCKS, align, in_blocks, mean_and_error, mean_over_episodes, statistics
from analysis.metrics.answers import Answers, Runner, answers_of, evaluate, losses
from lab.errors import NotFinite
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.fit_per_query import LeastSquares
from lab.learners.linear_transformer import LinearTransformer, Shape
from lab.learners.ridge import Ridge
from tasks.catalogue import SYNTHETIC, TASKS
from tasks.episode import Inputs
from tests.compiled import called, sampled

KEY = jax.random.key(0)
NAMES = sorted(SYNTHETIC)


@pytest.mark.parametrize("name", NAMES)
def test_sensitivity_of_gradient_descent_is_its_model(name, float64):
    """dA/df_q is W_K; where x is shown twice, in x_q, the sum of its two halves."""
    task = TASKS[name](input_dim=3, output_dim=2, num_queries=2)
    layout = TokenLayout.of(task)
    learner = GradientDescent(layout, 0.4, steps=2)
    episodes = jax.jit(lambda: task.sample(KEY, 4))()
    prompts = episodes.prompt
    # the model itself, from predictions on the unit vectors of features
    units = jnp.eye(layout.feature_dim)
    at_units = GradientDescent(TokenLayout((("x", layout.feature_dim),), 2), 0.4, steps=2)
    queries = jnp.broadcast_to(units, (4, *units.shape))
    wide = prompts.replace(context=Inputs(layout.features(prompts.context)), query=Inputs(queries))
    models_BxYxF = jax.jit(jax.vmap(at_units))(wide).mT
    expected = models_BxYxF @ layout.feature_duplication
    result = jax.jit(answers_of)(learner, task, episodes)
    for query in range(2):
        np.testing.assert_allclose(result.sensitivity[:, query], expected, atol=1e-12)
    np.testing.assert_array_equal(result.prediction, jax.jit(jax.vmap(learner))(prompts))


@pytest.mark.parametrize("name", NAMES)
def test_sensitivity_of_a_transformer_is_its_difference_quotient(name, float64):
    """Central differences of width 1e-5 err by about 1e-10 times the third derivative, and 1e-11 of rounding."""
    task = TASKS[name](input_dim=3)
    shape = Shape(TokenLayout.of(task), num_layers=2, document_width=task.document_width)
    model = LinearTransformer(shape, KEY, 1.0)
    episodes = sampled(task, KEY, 3)
    prompts = episodes.prompt
    predictions = jax.jit(jax.vmap(model))

    def moved(by, i):
        return predictions(prompts.replace(query=prompts.query.replace(x=prompts.query.x.at[:, :, i].add(by))))

    result = jax.jit(answers_of)(model, task, episodes).sensitivity
    for i in range(3):
        quotient = (moved(1e-5, i) - moved(-1e-5, i)) / 2e-5
        np.testing.assert_allclose(result[..., i], quotient, rtol=1e-6, atol=1e-8)


def test_alignment_of_known_answers():
    one = Answers(
        jnp.array([[[[9.0, 9.0]], [[0.0, 0.0]]]]), jnp.array([[[[1.0, 0.0], [0.0, 1.0]]]]), jnp.array([[9, 2]])
    )
    two = Answers(jnp.array([[[[3.0, 4.0]]]]), jnp.array([[[[1.0, 0.0], [0.0, 0.0]]]]), jnp.array([[5]]))
    result = align(one, two)
    assert result["loss_difference"] == -3
    assert result["prediction_l2"] == 5
    assert result["sensitivity_l2"] == 1
    np.testing.assert_allclose(result["sensitivity_cosine"], 1 / np.sqrt(2), rtol=1e-6)
    itself = align(one, one)
    assert itself["prediction_l2"] == itself["sensitivity_l2"] == 0
    np.testing.assert_allclose(itself["sensitivity_cosine"], 1, rtol=1e-6)


def test_a_zero_gradient_is_left_out_of_the_cosine_and_counted():
    some = Answers(jnp.ones((3, 1, 1, 1)), jnp.ones((3, 1, 1, 2)), jnp.ones((3, 1)))
    none = some.replace(sensitivity=jnp.ones((3, 1, 1, 2)).at[1].set(0.0))
    cosine = mean_and_error(align(some, none)["sensitivity_cosine"], undefined=True)
    assert cosine["left_out"] == 1
    np.testing.assert_allclose(cosine["mean"], 1, rtol=1e-6)


def test_mean_and_error_are_numpys():
    values = np.random.default_rng(0).normal(size=50).astype(np.float32)
    result = mean_and_error(jnp.array([*values, jnp.nan, jnp.nan]), undefined=True)
    np.testing.assert_allclose(result["mean"], values.mean(), rtol=1e-5)
    np.testing.assert_allclose(result["stderr"], values.std(ddof=1) / np.sqrt(50), rtol=1e-5)
    assert result["left_out"] == 2
    assert mean_over_episodes("loss", values) == {
        "loss": pytest.approx(result["mean"]),
        "loss.stderr": pytest.approx(result["stderr"]),
    }


@pytest.mark.parametrize("group", [None, np.arange(4) // 2])
def test_a_mean_over_a_number_that_is_none_is_none(group):
    """It is not the mean over the other episodes, as for what is not defined in some."""
    values = np.array([1.0, np.nan, 2.0, 3.0])
    result = mean_and_error(values, group)
    assert np.isnan([result["mean"], result["stderr"]]).all()
    assert result["left_out"] == 1
    assert mean_and_error(values, group, undefined=True)["mean"] == 2


def test_a_column_of_a_number_that_is_none_is_refused():
    for bad in (np.nan, np.inf):
        with pytest.raises(NotFinite, match="loss is NaN or infinite in 1 of 3 episodes"):
            mean_over_episodes("loss", np.array([1.0, bad, 2.0]))
    assert mean_over_episodes("cosine", np.array([1.0, np.nan]), undefined=True)["cosine"] == 1


def test_statistics_of_a_learner_that_fails_in_one_episode():
    """Its loss is none, and the gradients that are not defined are left out of cosines alone."""
    one = Answers(jnp.ones((3, 1, 1, 1)), jnp.ones((3, 1, 1, 2)), jnp.ones((3, 1)))
    other = one.replace(losses=one.losses.at[1].set(jnp.nan), sensitivity=one.sensitivity.at[1].set(0.0))
    result = statistics({"transformer": one, "mine": other}, "transformer")
    assert np.isnan(result["loss"]["mine"]["mean"])
    assert np.isnan(result["alignment"]["mine"]["loss_difference"]["mean"])
    assert result["alignment"]["mine"]["sensitivity_cosine"]["mean"] == pytest.approx(1)


def test_errors_over_groups_are_those_of_independent_groups():
    """Every value three times is no more than once; groups of one are independent episodes."""
    values = np.random.default_rng(0).normal(size=50)
    group = np.repeat(np.arange(50), 3)
    repeated = mean_and_error(np.repeat(values, 3), group)
    expected = values.std(ddof=1) / np.sqrt(50)
    np.testing.assert_allclose(repeated["stderr"], expected, rtol=1e-12)
    np.testing.assert_allclose(repeated["common"], expected, rtol=1e-12)
    np.testing.assert_allclose(mean_and_error(values, np.arange(50))["stderr"], expected, rtol=1e-12)
    assert mean_and_error(values)["common"] == 0


def test_parts_of_blocks_are_those_of_groups_of_as_many_episodes():
    """Their sum is 0. An episode without a value, where one is not defined, is in no block's sum."""
    values = np.random.default_rng(0).normal(size=110)
    blocks = np.arange(110) % BLOCKS
    np.testing.assert_allclose(in_blocks(values), mean_and_error(values, blocks)["clusters"][:BLOCKS], atol=1e-15)
    values[::7] = np.nan
    parts = in_blocks(values, undefined=True)
    np.testing.assert_allclose(parts, mean_and_error(values, blocks, undefined=True)["clusters"][:BLOCKS], atol=1e-15)
    assert np.isnan(in_blocks(values)).all()


def test_errors_over_groups_are_the_spread_over_other_groups():
    """20 rows, each drawn about five times: the spread of the mean over 2,000 such tables, known to 1.6%; the estimate
    with 20 groups is on average a few percent low."""
    rng = np.random.default_rng(1)
    rows, noise, drawn = rng.normal(size=(2000, 20)), rng.normal(size=(2000, 100)), rng.integers(0, 20, (2000, 100))
    values = np.take_along_axis(rows, drawn, axis=1) + 0.5 * noise
    errors = [mean_and_error(*table)["stderr"] for table in zip(values, drawn, strict=True)]
    assert 0.88 < np.mean(errors) / values.mean(axis=1).std() < 1.03
    assert mean_and_error(values[0])["stderr"] < 0.7 * np.mean(errors), "as if all episodes were independent"


def test_sensitivities_in_common_coordinates():
    """A function of z, shown x = 3 z: its gradient in z is three times that in x; losses do not change."""
    shape = (4, 1, 2, 3)  # B, Q, A, I
    rng = np.random.default_rng(0)
    in_z = [rng.normal(size=shape).astype(np.float32) for _ in range(2)]
    slopes = rng.uniform(0.5, 3, size=(4, 1, 3)).astype(np.float32)

    def answers(sensitivity, slopes=None):
        return Answers(np.zeros((4, 1, 1, 2)), sensitivity, np.zeros((4, 1)), slopes=slopes)

    expected = align(*(answers(each) for each in in_z))
    metrics = align(*(answers(each / slopes[:, :, None], slopes) for each in in_z))
    for name in ("sensitivity_cosine", "sensitivity_l2"):
        np.testing.assert_allclose(metrics[f"{name}_z"], expected[name], rtol=1e-5)
        assert not np.allclose(metrics[name], expected[name], rtol=0.01), "the coordinates matter"
    assert "sensitivity_cosine_z" not in expected


class Parts(Runner):
    """So many episodes at a time, and learners of one structure in groups of two."""

    def __init__(self, episodes):
        self.episodes, self.programs = episodes, []

    def at_a_time(self, *program):
        return self.episodes

    def group_size(self, structure, count):
        return 2

    def run(self, name, function, *arguments):
        shapes = tuple(jnp.shape(leaf) for leaf in jax.tree.leaves(arguments))
        self.programs.append((name, jax.tree.structure(arguments), shapes))
        return super().run(name, function, *arguments)


@pytest.mark.parametrize("at_a_time", [100, 8, 3, 1])
def test_answers_in_blocks_are_those_to_their_episodes(at_a_time, monkeypatch):
    """23 episodes in blocks of 8, held against the same 23 drawn by hand, however many are answered at a time; the
    differences of losses are paired."""
    monkeypatch.setattr(evaluation, "BLOCK", 10)
    task = TASKS["plain"](input_dim=2)
    layout = TokenLayout.of(task)
    learners = {"a": GradientDescent(layout, 0.5), "b": GradientDescent(layout, 1.0, steps=2)}
    answers = evaluate(learners, {"test": task}, KEY, 23, runner=Parts(at_a_time))["test"]
    batches = [sampled(task, jax.random.fold_in(KEY, i), 8) for i in range(3)]
    loss = {}
    for name, learner in learners.items():
        expected = [called(answers_of, learner, task, batch) for batch in batches]
        expected = jax.tree.map(lambda *leaves: np.concatenate(leaves)[:23], *expected)
        for leaf, other in zip(jax.tree.leaves(answers[name]), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(leaf, other, rtol=1e-4, atol=1e-6)
        loss[name] = expected.loss
    results, difference = statistics(answers, "a"), loss["a"] - loss["b"]
    for name in "ab":
        np.testing.assert_allclose(results["loss"][name]["mean"], loss[name].mean(), rtol=1e-5)
    paired = results["alignment"]["b"]["loss_difference"]
    np.testing.assert_allclose(paired["mean"], difference.mean(), rtol=1e-4)
    np.testing.assert_allclose(paired["stderr"], difference.std(ddof=1) / np.sqrt(23), rtol=1e-4)


@pytest.mark.slow
def test_learners_of_one_structure_answer_as_each_does_alone():
    """Three Transformers, by one program for two of them; and learners without numbers."""
    task = TASKS["rag_dot"](input_dim=3)
    layout = TokenLayout.of(task)
    shape = Shape(layout, document_width=3)
    learners = {
        name: called(lambda key: LinearTransformer(shape, key, 1.0), jax.random.key(i)) for i, name in enumerate("abc")
    }
    learners |= {"descent": GradientDescent(layout, 0.5), "deeper": GradientDescent(layout, 0.5, steps=2)}
    learners |= {"least squares": LeastSquares(layout), "the same": LeastSquares(layout)}
    runner = Parts(8)
    together = evaluate(learners, {"test": task}, KEY, 8, runner=runner)["test"]
    assert list(together) == list(learners)
    assert len(runner.programs) == 1 + 2 + 3, "the draw; Transformers twice; descent, deeper, least squares"
    assert len(set(runner.programs)) == 5
    episodes = sampled(task, jax.random.fold_in(KEY, 0), 8)
    for name, learner in learners.items():
        alone = called(answers_of, learner, task, episodes)
        for leaf, expected in zip(jax.tree.leaves(together[name]), jax.tree.leaves(alone), strict=True):
            np.testing.assert_allclose(leaf, expected, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(
            alone.losses[:, -1],
            losses(task, called(jax.vmap(learner), episodes.prompt), episodes),
            rtol=1e-4,
            atol=1e-9,
        )


def test_an_evaluation_needs_no_more_than_learners_and_tasks():
    """As in a notebook: several tasks, several queries, with and without sensitivities."""
    task = TASKS["plain"](input_dim=2, output_dim=2, num_queries=3)
    layout = TokenLayout.of(task)
    learners = {"one": GradientDescent(layout, 0.5, steps=2), "floor": Ridge(layout, 0.1)}
    answers = evaluate(learners, {"test": task, "wide": dataclasses.replace(task, scale=2.0)}, KEY, 20)
    assert {name: list(each) for name, each in answers.items()} == {"test": [*learners], "wide": [*learners]}
    one, without = answers["test"]["one"], evaluate(learners, {"test": task}, KEY, 20, sensitivity=False)["test"]["one"]
    assert all(isinstance(leaf, np.ndarray) for leaf in jax.tree.leaves(answers))
    assert one.prediction.shape == (20, 3, 2)
    assert one.sensitivity.shape == (20, 3, 2, 2)
    assert one.losses.shape == (20, 2)
    assert without.sensitivity is None
    np.testing.assert_allclose(without.readouts, one.readouts, rtol=1e-5, atol=1e-6)
    assert all(metric.shape == (20,) for metric in align(one, answers["test"]["floor"]).values())
    assert not np.allclose(one.losses, answers["wide"]["one"].losses)
