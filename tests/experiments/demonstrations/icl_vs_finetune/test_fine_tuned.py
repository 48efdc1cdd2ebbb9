"""Fine-tuning on the examples of a prompt, against a loop that changes a copy of the model step by step."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from experiments.demonstrations.icl_vs_finetune.fine_tuned import FineTuned, full_batch, one_epoch
from lab.learners.shown import ZeroShot
from tasks.classification import cross_entropy
from tasks.shifted_classes import ShiftedClasses
from tests.compiled import called, sampled
from tests.small_decoders import prompt_of, small_decoder

TASK = ShiftedClasses(num_context=4, num_queries=3, input_dim=3, num_classes=3)
RATE = 0.3


@pytest.fixture
def setting(float64):
    return small_decoder(TASK, num_groups=1, mlp_width=6), prompt_of(sampled(TASK, jax.random.key(1), 1))


def by_hand(model, prompt, batches):
    """The keys' and values' matrices after each step in turn."""

    def with_matrices(matrices):
        copy = nnx.clone(model)
        for block, (w_k, w_v) in zip(copy.blocks, matrices, strict=True):
            block.w_k[...], block.w_v[...] = w_k, w_v
        return copy

    def loss(matrices, example):
        query = jax.tree.map(lambda leaf: leaf[example][None], prompt.context)
        hidden = prompt.replace(query=query, visible=jnp.zeros((1, 4), bool))
        logits = with_matrices(matrices)(hidden)[0]
        return -jnp.log(jax.nn.softmax(logits)[jnp.argmax(prompt.answers[example])])

    gradient = jax.jit(jax.grad(loss))
    matrices = [(block.w_k[...], block.w_v[...]) for block in model.blocks]
    for batch in batches:
        steps = [gradient(matrices, example) for example in batch]
        matrices = jax.tree.map(lambda w, *g: w - RATE * sum(g) / len(g), matrices, *steps)
    return with_matrices(matrices)


@pytest.mark.slow
@pytest.mark.parametrize("batches", [one_epoch(4), full_batch(4, 2)])
def test_fine_tuning_is_descent_on_zero_shot_prompts(setting, batches):
    """1e-12: a few steps, of numbers of the size one. Only the two matrices have changed."""
    model, prompt = setting
    learner = FineTuned(model, cross_entropy, batches, RATE)
    answers, (tuned, read) = jax.jit(lambda learner: (learner(prompt), learner.tuned(prompt)))(learner)
    expected = by_hand(model, prompt, batches)
    np.testing.assert_allclose(answers, called(ZeroShot(expected), prompt), rtol=0, atol=1e-12)
    pairs = zip(jax.tree.leaves_with_path(tuned), jax.tree.leaves_with_path(model), strict=True)
    changed = [jax.tree_util.keystr(path) for (path, new), (_, old) in pairs if np.any(new != old)]
    assert len(changed) == 4
    assert all("w_k" in path or "w_v" in path for path in changed)
    assert read.shape == (*batches.shape[:1], 2, batches.shape[1], 8)


def test_without_a_rate_it_is_zero_shot_and_zero_shot_sees_nothing(setting):
    model, prompt = setting
    hidden = called(model, prompt.replace(visible=jnp.zeros((3, 4), bool)))
    np.testing.assert_allclose(called(ZeroShot(model), prompt), hidden, rtol=0, atol=1e-12)
    np.testing.assert_allclose(called(FineTuned(model, cross_entropy, one_epoch(4), 0.0), prompt), hidden, atol=1e-12)


def test_what_fine_tuning_has_read_is_what_attention_reads_of_the_examples(setting):
    """At the first layer nothing changes before it, so it is the embedded token, normalised."""
    model, prompt = setting
    _, read = called(FineTuned(model, cross_entropy, full_batch(4, 2), RATE).tuned, prompt)
    trace = called(ZeroShot(model).trace, prompt.replace(query=prompt.context))
    np.testing.assert_allclose(read[1, 0], trace.inputs[0, -4:], atol=1e-12)
    np.testing.assert_allclose(read[0], trace.inputs[:, -4:], atol=1e-12)


def test_a_prompt_that_hides_examples_is_refused(setting):
    model, prompt = setting
    with pytest.raises(ValueError, match="visible"):
        FineTuned(model, cross_entropy, one_epoch(4), RATE)(prompt.replace(visible=jnp.ones((3, 4), bool)))
