"""Training on a log and measuring on it, from the inside: losses, batches, unknown tokens, baselines."""

import dataclasses

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from sklearn.linear_model import LogisticRegression

from lab.config.choices import Position, StreamScheme
from lab.config.click_log import ClickLogRun, LogEval, LogModel, LogTrain
from lab.config.comparison import Population
from lab.layouts.stream import NOTHING, Stream
from tasks.logs.batches import batch_indices
from tasks.logs.log import ClickLog
from tasks.logs.prompts import Prompts
from trainers.experiments.click_log import baselines, evaluation, session, training
from trainers.experiments.click_log.evaluation import SLIDING, STREAMING, Evaluator
from trainers.experiments.click_log.session import DECODER, LogSession

USERS, LONGEST = 9, 30


def log_of(seed=0) -> ClickLog:
    """In memory: two columns of four and five tokens, of which the first has two features; a third of them absent."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, LONGEST, (USERS, 3))
    lengths[0] = (3, 2, 1)
    ends = np.cumsum(lengths).reshape(-1, 3)
    bounds = np.concatenate([ends[:, :1] - lengths[:, :1], ends], axis=1)
    rows, starts = int(ends[-1, -1]), (0, 4, 9)
    features = np.stack([rng.integers(1, 4, rows), rng.integers(1, 4, rows), rng.integers(5, 9, rows)], axis=1)
    features = np.where(rng.random(features.shape) < 1 / 3, NOTHING, features).astype(np.int32)
    label = rng.integers(0, 2, rows).astype(np.int8)
    return ClickLog(None, features, label, np.arange(rows), bounds, ("a", "b"), (0, 0, 1), starts, (0, 0), ())


LOG = log_of()


def settings_of(seeds=1, train=None, **model) -> ClickLogRun:
    small = {"num_context": 3, "targets": 4, "num_layers": 2, "width": 8, "num_heads": 2, "mlp_width": 8}
    return ClickLogRun(
        model=LogModel(**small | model),
        train=LogTrain(**{"steps": 20, "batch_size": 5, "eval_every": 8} | (train or {})),
        eval=LogEval(targets=30),
        population=Population(seeds=seeds),
    )


def begun(settings) -> LogSession:
    result = LogSession(settings, LOG)
    result.start()
    return result


def batch_of(prompts, indices) -> training.Batch:
    return training.Batch(**prompts.batch(np.array(indices)))


def decoder_of(settings):
    return jax.tree.map(lambda leaf: leaf[0], begun(settings).trained[DECODER])


sum_of_losses = jax.jit(training.sum_of_losses)
value_and_gradient = jax.jit(jax.value_and_grad(training.sum_of_losses, allow_int=True))


def test_the_loss_is_the_mean_over_targets_that_are_there():
    """Against a loop over prompts and their targets, whose last ones are not full."""
    decoder, prompts = decoder_of(settings_of()), Prompts(LOG, "train", 3, 4)
    batch = batch_of(prompts, range(len(prompts)))
    assert not batch.is_target.all()
    losses, logits = [], jax.jit(lambda features, label: decoder.logits(Stream(features, label, 4)))
    for features, label, is_target in zip(batch.features, batch.label, batch.is_target, strict=True):
        answers = logits(jnp.array(features), jnp.array(label))
        log_p = np.asarray(answers) - np.logaddexp(*np.asarray(answers).T)[:, None]
        losses += [-log_p[place, label[3 + place]] for place in range(4) if is_target[place]]
    assert len(losses) == LOG.size["train"]
    np.testing.assert_allclose(sum_of_losses(decoder, batch), np.sum(losses), rtol=1e-5)


@pytest.mark.parametrize(("prompts", "part", "count"), [(6, 600, 1), (6, 30, 2), (6, 1, 6), (7, 30, 7)])
def test_parts_of_a_batch_add_up(prompts, part, count, monkeypatch):
    """6 prompts of 7 interactions: 4 fit 30, but equal parts of 6 have 3."""
    decoder, all_prompts = decoder_of(settings_of()), Prompts(LOG, "train", 3, 4)
    batch = jax.tree.map(jnp.asarray, batch_of(all_prompts, range(prompts)))
    whole = value_and_gradient(decoder, batch)
    graph, parameters, fixed = nnx.split(decoder, nnx.Param, ...)

    def loss(parameters, batch):
        return training.sum_of_losses(nnx.merge(graph, parameters, fixed), batch)

    monkeypatch.setattr(training, "PART", part)
    assert training.parts_of(prompts, 7) == count
    value, gradient = jax.jit(lambda *given: training.in_parts(jax.value_and_grad(loss), *given))(parameters, batch)
    np.testing.assert_allclose(value, whole[0], rtol=1e-5)
    expected = nnx.split(whole[1], nnx.Param, ...)[1]
    for one, two in zip(jax.tree.leaves(gradient), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-5)


def test_an_absent_target_moves_nothing():
    """Neither the loss nor its gradient, whatever is in its place."""
    decoder, prompts = decoder_of(settings_of()), Prompts(LOG, "train", 3, 4)
    located = prompts.locate(np.arange(len(prompts)))
    batch = batch_of(prompts, np.flatnonzero(located.targets < 4))
    there = np.concatenate([np.ones((len(batch.label), 3), bool), batch.is_target], axis=1)
    other = batch.replace(features=np.where(there[..., None], batch.features, 1), label=np.where(there, batch.label, 1))
    first, second = (value_and_gradient(decoder, each) for each in (batch, other))
    for one, two in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True):
        if jnp.issubdtype(one.dtype, jnp.floating):
            np.testing.assert_allclose(one, two, atol=1e-6)


def test_portions_change_nothing(monkeypatch):
    """Bit for bit: how many steps are taken at a time, and how many prompts are handed over."""
    whole, cut = begun(settings_of(seeds=2)), begun(settings_of(seeds=2))
    assert whole._chunk == 8
    losses = whole.advance(11)[DECODER]
    parts = [cut.advance(steps)[DECODER] for steps in (1, 2, 8)]
    chex.assert_trees_all_equal(whole.state, cut.state)
    np.testing.assert_array_equal(losses, np.concatenate(parts, axis=1))
    monkeypatch.setattr(session, "AHEAD", 1)
    one = begun(settings_of(seeds=2))
    assert one._chunk == 1
    np.testing.assert_allclose(one.advance(11)[DECODER], losses, rtol=1e-4)


def test_every_seed_has_batches_of_its_own_and_alone_trains_alike():
    together = begun(settings_of(seeds=2)).advance(6)[DECODER]
    assert not np.allclose(together[0], together[1])
    for place in range(2):
        alone = begun(dataclasses.replace(settings_of(), seed=place)).advance(6)[DECODER]
        np.testing.assert_allclose(alone[0], together[place], rtol=1e-4)


def test_batches_are_a_function_of_seed_and_step():
    decoders = begun(settings_of(seeds=2))
    batches, count = decoders._read(13, 16)
    assert count == 3
    for place in range(2):
        for step in range(3):
            expected = decoders.prompts.batch(batch_indices(len(decoders.prompts), place, 13 + step, 5))
            for name, values in expected.items():
                np.testing.assert_array_equal(getattr(batches, name)[place, step], values)


def test_a_loss_that_is_not_finite_freezes_the_decoder():
    decoders = begun(settings_of(train={"learning_rate": 1e30, "clip_norm": 1e30}))
    losses = decoders.advance(12)[DECODER][0]
    assert not np.isfinite(losses).all()
    before = decoders.state[DECODER].learner
    decoders.advance(2)
    chex.assert_trees_all_equal(before, decoders.state[DECODER].learner)


def test_unknown_tokens():
    """A share of those that are there become their column's; others stay; another step hides others."""
    features = jnp.asarray(LOG.features)[None]
    member = training.Member(jax.random.key(0), None, jnp.array(0.3), jnp.array([0, 0, 4]))
    one, two = (np.asarray(training.hidden(features, member, jax.random.key(step)))[0] for step in (1, 2))
    np.testing.assert_array_equal(one == NOTHING, LOG.features == NOTHING)
    changed = one != LOG.features
    np.testing.assert_array_equal(one[changed], np.broadcast_to([0, 0, 4], one.shape)[changed])
    there = LOG.features != NOTHING
    share, count = changed[there].mean(), there.sum()
    assert abs(share - 0.3) < 4 * np.sqrt(0.3 * 0.7 / count)  # four standard errors of a binomial share
    assert (one != two).any()


@pytest.mark.parametrize("unknown", [0.0, 0.4])
def test_the_embedding_of_the_unknown_is_trained_where_tokens_are_hidden(unknown):
    """No training token is unknown: its embedding shrinks by AdamW's weight decay alone, or is moved by a gradient."""
    decoders = begun(settings_of(train={"unknown": unknown, "learning_rate": 0.1}))
    before = decoders.state[DECODER].learner.features[...][0]
    decoders.advance(10)
    after = decoders.state[DECODER].learner.features[...][0]
    ratio = after[[0, 4]] / before[[0, 4]]
    assert (np.ptp(ratio) < 1e-5) == (unknown == 0)


@pytest.mark.parametrize("scheme", [StreamScheme.split, StreamScheme.local])
@pytest.mark.parametrize("targets", [4, 7])
@pytest.mark.usefixtures("float64")
def test_exact_schemes_answer_alike_in_windows_and_in_streams(scheme, targets):
    """Users, prompts and interactions of unequal lengths; a number of targets that does not divide."""
    settings = settings_of(scheme=scheme, targets=targets, positions=Position.rope)
    evaluator = Evaluator(begun(settings), settings, LOG)
    for split in ("validation", "test"):
        sliding, streaming = (evaluator.logits(split, name) for name in (SLIDING, STREAMING))
        assert np.std(sliding) > 0.1
        np.testing.assert_allclose(sliding, streaming, atol=1e-12)


def test_a_scheme_that_is_not_exact_answers_otherwise():
    settings = settings_of(scheme=StreamScheme.naive)
    evaluator = Evaluator(begun(settings), settings, LOG)
    assert np.abs(evaluator.logits("test", SLIDING) - evaluator.logits("test", STREAMING)).max() > 1e-3


def test_an_evaluation_that_leaves_targets_out_is_refused(monkeypatch):
    settings = settings_of()
    evaluator = Evaluator(begun(settings), settings, LOG)
    assert evaluator.logits("test", SLIDING).shape == (1, LOG.size["test"])
    real = evaluation.in_order
    monkeypatch.setattr(evaluation, "in_order", lambda count, size: real(count - 1, size))
    with pytest.raises(RuntimeError, match="do not hold each of its targets once"):
        evaluator.logits("test", SLIDING)


def test_both_evaluations_of_the_curves_have_the_same_targets():
    settings = settings_of()
    evaluator = Evaluator(begun(settings), settings, LOG)
    chosen = evaluator._validation
    assert 0 < len(chosen) <= 30 < LOG.size["validation"]
    assert {*chosen.tolist()} <= {*evaluation.targets_of(LOG, "validation").tolist()}
    users = LOG.bounds[:, 3].searchsorted(chosen, side="right")
    assert len({*users.tolist()}) > 4, "spread over the users"
    assert evaluator.logits("validation", SLIDING).shape == evaluator.logits("validation", STREAMING).shape
    loss = evaluator.curve()["loss"]
    np.testing.assert_array_equal(loss[DECODER]["mean"], loss[SLIDING]["mean"])


def test_the_logistic_regression_is_scikit_learn_s_on_a_dense_table():
    found, notes = baselines.logits(LOG, num_context=3, most=10_000)
    assert len(notes) == 1
    training_rows = [row for bounds in LOG.bounds for row in range(bounds[0], bounds[1])]
    rate = LOG.label[training_rows].mean()

    def dense(row, start):
        x = np.zeros(10)
        for token in LOG.features[row]:
            x[token] += token != NOTHING
        before = LOG.label[max(start, row - 3) : row]
        return np.append(x[:9], before.mean() if len(before) else rate)

    def table(first, last):
        rows = [(row, bounds[0]) for bounds in LOG.bounds for row in range(bounds[first], bounds[last])]
        return np.array([dense(*each) for each in rows]), LOG.label[[row for row, _ in rows]]

    model = LogisticRegression(max_iter=1000).fit(*table(0, 1))
    np.testing.assert_allclose(found["logistic"], model.decision_function(table(2, 3)[0]), atol=1e-3)  # its tolerance
    np.testing.assert_allclose(1 / (1 + np.exp(-found["rate"])), rate)


def test_without_both_classes_there_is_no_regression():
    label = np.array(LOG.label)
    training_rows = np.concatenate([np.arange(a, b) for a, b in LOG.bounds[:, :2]])
    label[training_rows] = 0
    label[training_rows[-2]] = 1
    found, notes = baselines.logits(dataclasses.replace(LOG, label=label), num_context=2, most=3)
    assert {*found} == {"rate"}
    assert "one class" in notes[0]
