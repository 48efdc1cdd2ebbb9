"""The speed of decoders: the one by hand is the lab's, and what is timed."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.timing.decoder import begun
from experiments.timing.decoder_speed import by_hand, in_torch
from experiments.timing.decoder_speed.settings import DecoderSpeed
from lab.config.decoder import DecoderShape
from lab.learners.learner import predict
from tests.run_files import table
from trainers import meta

pytestmark = pytest.mark.slow  # whole experiments

SMALL = DecoderShape(2, 8, 2, 12), 3, 4, 2  # with three prompts of four examples of width 2


def test_by_hand_is_the_lab_s_decoder(float64):
    """Answers and gradients, in the rounding of float64 over two layers of width 8; all weights differ from the ones
    and zeros that they begin with."""
    member, state = begun(*SMALL)
    keys = iter(jax.random.split(jax.random.key(1), 1000))
    learner = jax.tree.map(lambda leaf: leaf + 0.3 * jax.random.normal(next(keys), leaf.shape), state.learner)
    episodes = member.task.sample(jax.random.key(2), 3)

    def losses(learner):
        weights = by_hand.weights_of(learner.inner)
        return by_hand.loss(weights, episodes, 2), meta.mean_loss(learner, member.task, episodes)

    answers = by_hand.answers(by_hand.weights_of(learner.inner), episodes.prompt.context.x, episodes.prompt.answers, 2)
    np.testing.assert_allclose(answers, predict(learner, episodes.prompt), atol=1e-12)
    of_hand, of_lab = (jax.grad(lambda learner, at=at: losses(learner)[at], allow_int=True)(learner) for at in (0, 1))
    floats = [(a, b) for a, b in zip(*map(jax.tree.leaves, (of_hand, of_lab)), strict=True) if a.dtype == jnp.float64]
    assert len(floats) == len(jax.tree.leaves(learner))
    for by_hand_gradient, gradient in floats:
        np.testing.assert_allclose(by_hand_gradient, gradient, atol=1e-11)


def test_both_train_on_the_same_kind_of_prompts():
    member, state = begun(*SMALL)
    assert (member.task.num_context, member.task.input_dim, member.recipe.batch_size) == (4, 2, 3)
    assert state.learner.inner.shape.length - 1 == 8, "two tokens per example, and no instructions"
    loss = by_hand.train(by_hand.weights_of(state.learner.inner), member.task, 3, 2, member.key, 2)
    assert 0 < float(loss) < 10


@pytest.mark.skipif(not in_torch.installed(), reason="PyTorch is not installed")
def test_pytorch_learns_too():
    """E f^2 / 2 = 1 is the loss of the answer 0."""
    train = in_torch.program(DecoderSpeed(model=DecoderShape(2, 16, 2, 32), prompts=64, examples=8, input_dim=2))
    assert train(1) > train(400)


def test_from_the_command_to_the_report(folder):
    names = {"lab", "by_hand"} | ({"torch"} if in_torch.installed() else set())
    result = {(row["part"], row["tokens"], row["program"], row["round"]) for row in table(folder, "steps")}
    assert result == {
        (part, tokens, name, turn)
        for part, tokens in (("small", "4"), ("large", "6"))
        for name in names
        for turn in "01"
    }
    assert all(float(row["share_of_flops"]) > 0 for row in table(folder, "steps"))
