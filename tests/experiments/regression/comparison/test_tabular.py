"""Tables in training: held once by a population, learned features, and what gradient boosting makes of them."""

import jax
import numpy as np
import pytest

from experiments.regression.comparison import baselines, files, trainees
from experiments.regression.comparison import run as experiment
from experiments.regression.comparison.evaluation import Evaluator
from tasks.catalogue import TASKS
from tasks.tabular import Tabular
from tasks.task import Source
from tests.trainers.sessions import begun, settings_of
from trainers.meta import mean_loss
from trainers.population import at, map_population, members, vmap_population

pytestmark = pytest.mark.slow  # whole experiments

SMALL = [
    "train.batch_size=16",
    "eval.episodes=50",
    "baselines.line_search_episodes=200",
    "baselines.gd_plus_plus.steps=4",
]


def configured(*words):
    return settings_of("experiment=tabular", *SMALL, *words)


def read(configs):
    return TASKS["tabular"].read([config.task for config in configs], [config.data for config in configs])


def test_a_population_holds_its_tables_once():
    """Three seeds of two normalisations: two tables, which no axis over the population multiplies."""
    configs = [configured(f"data.normalization={how}", "seeds=3") for how in ("minmax", "rank")]
    population = members(configs, read(configs))
    assert population.task.bank.corpus.shape == (2, 397, 10)
    assert population.task.table.tolist() == [0, 0, 0, 1, 1, 1]
    assert at(population, slice(2, 4)).task.table.tolist() == [0, 1]
    draw = jax.jit(vmap_population(lambda member: member.task.sample(member.key, 4)))
    one_after_the_other = jax.jit(
        lambda people: map_population(lambda member: member.task.sample(member.key, 4), people)
    )
    together, in_turn = draw(population), one_after_the_other(population)
    for index in range(6):
        alone = at(population, index)
        expected = alone.task.sample(alone.key, 4)
        for result in (together, in_turn):
            np.testing.assert_array_equal(result.prompt.query.x[index], expected.prompt.query.x)
            np.testing.assert_array_equal(result.prompt.documents[index], expected.prompt.documents)


def test_normalisations_train_together_as_they_would_alone():
    """To rounding. The Transformer, the descent on learned features and the fitted model all learn."""
    configs = [configured(f"data.normalization={how}") for how in ("minmax", "rank")]
    sources = read(configs)
    together = begun(*configs, sources=sources).advance(20)
    assert together.keys() == {trainees.SUBJECT, trainees.LEARNED, trainees.FITTED}
    for index, (config, source) in enumerate(zip(configs, sources, strict=True)):
        alone = begun(config, sources=[source]).advance(20)
        for name, losses in alone.items():
            np.testing.assert_allclose(together[name][index], losses[0], rtol=1e-4)
    assert not np.allclose(together[trainees.SUBJECT][0], together[trainees.SUBJECT][1])


@pytest.mark.parametrize("layers", [1, 2])
def test_the_construction_descends_on_the_transformer_s_own_features(layers):
    config = configured(f"model.num_layers={layers}")
    session = begun(config)
    session.advance(5)
    seen = Evaluator(session, config).curve()
    own, by_hand = (seen["alignment"][name] for name in (baselines.OWN, "constructed"))
    for metric in ("prediction_l2", "sensitivity_l2", "sensitivity_cosine", "loss_difference"):
        np.testing.assert_allclose(own[metric]["mean"], by_hand[metric]["mean"], rtol=1e-3, atol=1e-5)
    learned = seen["alignment"][trainees.LEARNED]
    assert learned["prediction_l2"]["mean"] != own["prediction_l2"]["mean"]


def test_the_same_features_at_first():
    """So that what parts the two later is training."""
    config = configured()
    states = begun(config).states
    one, *others = (jax.tree.leaves(state.learner.features) for state in states.values())
    assert len(others) == 2
    for other in others:
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_the_fitted_model_changes_no_other_learner(monkeypatch):
    """Bit for bit, in training; and it alone is missing where a task's rows are not said to be the same."""
    config = configured()
    losses = begun(config).advance(5)
    monkeypatch.setattr(Tabular, "finite", False)
    without = begun(config).advance(5)
    assert losses.keys() - without.keys() == {trainees.FITTED}
    for name, expected in without.items():
        np.testing.assert_array_equal(losses[name], expected)


def test_the_fitted_model_takes_part_with_learned_features_of_a_table():
    assert trainees.FITTED in experiment.learners(configured())
    assert trainees.FITTED not in experiment.learners(configured("model.features=inputs"))
    synthetic = settings_of("experiment=rag_dot", "model.features=residual", *SMALL)
    assert trainees.FITTED not in experiment.learners(synthetic)


def test_the_fitted_model_does_as_well_as_least_squares():
    """On the training rows: x, the mean document and a constant are among what it can use, and it fits no worse."""
    config = configured("train.steps=600", "train.batch_size=64", "train.learning_rate=0.01")
    (source,) = read([config])
    rows = source.rows["train"]
    seen = np.column_stack([rows.x, source.corpus[rows.documents].mean(axis=1), np.ones(len(rows.x))])
    floor = 0.5 * np.mean((rows.y - seen @ np.linalg.lstsq(seen, rows.y)[0]) ** 2)
    losses = begun(config, sources=[source]).advance(600)[trainees.FITTED][0]
    assert losses[-100:].mean() < 1.05 * floor < 0.6 * losses[:10].mean()


def test_the_rate_on_own_features_is_the_best_one():
    """No rate 30% away has a lower loss on 2,000 other training episodes."""
    config = configured("baselines.line_search_episodes=4000")
    session = begun(config)
    session.advance(20)
    member = at(session.population, 0)
    one = jax.tree.map(lambda leaf: leaf[0], (session.prepared, session.trained))
    own = jax.jit(lambda m, result, trained: baselines.changing_learners(config, m, result, trained))(member, *one)[
        "own_descent"
    ]
    episodes = member.task.sample(jax.random.key(9), 2000)

    @jax.jit
    def loss(factor):
        learner = jax.tree.map(lambda leaf: leaf, own)
        learner.inner.eta[...] = factor * learner.inner.eta[...]
        return mean_loss(learner, member.task, episodes)

    best = loss(1.0)
    assert best < loss(0.7)
    assert best < loss(1.3)


def test_evaluation_is_on_test_rows():
    """Losses of predicting the mean are those of the test rows' targets, not of the training rows'."""
    config = configured("eval.episodes=20000")
    (source,) = read([config])
    session = begun(config, sources=[source])
    mean = Evaluator(session, config).final()["loss"]["mean"]
    losses, others = (0.5 * source.splits[name][1] ** 2 for name in ("test", "train"))
    drawing = np.std(losses) / np.sqrt(20000)  # of test rows, for so many episodes
    assert abs(mean["mean"][0] - np.mean(losses)) < 4 * drawing < abs(np.mean(others) - np.mean(losses))
    assert mean["stderr"][0] == pytest.approx(np.std(losses) / np.sqrt(len(losses)), rel=0.2), "that over test rows"


def test_with_a_clip_the_descent_on_learned_features_stays_gradient_descent():
    """Its gamma, with which it would be GD++, is no parameter."""
    config = configured("model.num_layers=2", "model.clip=10", "train.learning_rate=0.01")
    session = begun(config)
    before = session.trained[trainees.LEARNED].inner
    session.advance(5)
    after = session.trained[trainees.LEARNED].inner
    assert np.all(after.relative_gamma[...] == 0)
    assert np.any(after.relative_eta[...] != before.relative_eta[...])


def test_boosting_is_fitted_to_the_training_rows_and_scored_on_the_others():
    """It finds a step in one of two columns, and its loss is that of the test rows."""

    class Rows(Source):
        @property
        def splits(self):
            x = np.random.default_rng(0).normal(size=(400, 2))
            y = np.sign(x[:, :1])
            return {"train": (x[:300], y[:300]), "test": (x[300:], y[300:])}

    result = files.boosting(Rows(), seeds=2)["boosting"]
    assert result["mean"].shape == (2,)
    assert result["mean"][0] < 0.05 * 0.5
    assert files.boosting(Source(), seeds=2) == {}
