"""Training on a log, from the inside: losses, batches, unknown tokens."""

import dataclasses

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from experiments.clicks.click_log import session, training
from experiments.clicks.click_log.prompts import Prompts, batch_indices
from experiments.clicks.click_log.session import DECODER
from lab.layouts.stream import NOTHING, Stream
from tests.experiments.clicks.click_log.click_logs import LOG, begun, settings_of

pytestmark = pytest.mark.slow  # whole experiments


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
    assert whole._steps == 8
    losses = whole.advance(11)[DECODER]
    parts = [cut.advance(steps)[DECODER] for steps in (1, 2, 8)]
    chex.assert_trees_all_equal(whole.state, cut.state)
    np.testing.assert_array_equal(losses, np.concatenate(parts, axis=1))
    monkeypatch.setattr(session, "AHEAD", 1)
    one = begun(settings_of(seeds=2))
    assert one._steps == 1
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


def test_unknown_tokens():
    """A share of those that are there become their column's; others stay; another step hides others."""
    features = jnp.asarray(LOG.features)[None]
    hiding = training.Hiding(jnp.array(0.3), jnp.array([0, 0, 4]))
    one, two = (np.asarray(training.hidden(features, hiding, jax.random.key(step)))[0] for step in (1, 2))
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
    before = decoders.state[1][DECODER].learner.features[...][0]
    decoders.advance(10)
    after = decoders.state[1][DECODER].learner.features[...][0]
    ratio = after[[0, 4]] / before[[0, 4]]
    assert (np.ptp(ratio) < 1e-5) == (unknown == 0)
