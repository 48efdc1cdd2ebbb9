"""Training in one call."""

import dataclasses

import jax
import numpy as np

from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from tests.trainers.sessions import begun, settings_of
from trainers import meta
from trainers.population import at
from trainers.train import train


def test_it_is_the_training_of_a_run():
    """A member's Transformer, from its first weights to the same losses and weights; what was given is unchanged."""
    session = begun(settings_of("experiment=rag_dot", "train.steps=6", "train.batch_size=8", "seed=3"))
    member, learner = at((session.members, session.trained["transformer"]), 0)
    before = [np.asarray(leaf) for leaf in jax.tree.leaves(learner)]
    expected = session.advance(6)["transformer"][0]
    trained, losses = train(learner, member.task, member.recipe, member.key)
    np.testing.assert_allclose(losses, expected, rtol=1e-6)
    for leaf, other in zip(jax.tree.leaves(trained), jax.tree.leaves(session.trained["transformer"]), strict=True):
        np.testing.assert_allclose(leaf, other[0], rtol=1e-5, atol=1e-8)
    for leaf, other in zip(jax.tree.leaves(learner), before, strict=True):
        np.testing.assert_array_equal(leaf, other)


def test_another_learning_rate_is_not_another_program(monkeypatch):
    traces, real = [], meta.train
    monkeypatch.setattr(meta, "train", lambda *arguments: traces.append(1) or real(*arguments))
    member = at(begun(settings_of("experiment=plain", "train.steps=5", "train.batch_size=4")).members, 0)
    learner, last = GradientDescent(TokenLayout.of(member.task), 0.1, steps=2), {}
    for rate in (0.1, 0.2):
        recipe = dataclasses.replace(member.recipe, learning_rate=rate)
        trained, losses = train(learner, member.task, recipe, member.key)
        assert losses.shape == (5,)
        last[rate] = float(trained.eta[...])
    assert len(traces) == 1
    assert last[0.1] != last[0.2] != 0.1
