"""`dti_language` from the inside: a log as text, training of factors alone, and its claims."""

import dataclasses
import json
import shutil

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from experiments.clicks.click_log.prompts import Prompts
from experiments.clicks.click_log.training import Batch
from experiments.clicks.dti_language import texts, training
from experiments.clicks.dti_language.settings import PromptText
from lab.config.choices import Optimizer, StreamScheme
from lab.errors import ConfigError
from lab.language import lora
from lab.language import stream as streams
from lab.language.stream import Reading
from lab.language.tokens import Tokenizer
from lab.layouts.stream import Stream
from lab.learners.stream_schemes import SCHEMES
from tests.command_line import lab_here, ran
from tests.experiments.clicks.click_log.click_logs import LOG
from tests.lab.language.folders import doubled, random_model
from tests.tiny_runs import tiny_run, words_of
from trainers import meta
from trainers.recipe import Recipe

VALUES = [None, "red", "green", "blue", None, "fox", "old owl", "hen", "elk"]  # of the tokens of LOG's two columns
ALPHA = 4.0


class Letters(Tokenizer):
    """A tokenizer whose tokens are characters."""

    def __init__(self):
        pass

    def encode(self, text, special=False):
        return [ord(each) for each in text]


@pytest.fixture
def log(tmp_path):
    (tmp_path / "tokens.json").write_text(json.dumps(VALUES))
    return dataclasses.replace(LOG, folder=tmp_path)


@pytest.mark.parametrize(("columns", "item", "slots"), [([], None, (0, 1, 2)), (["a"], None, (0, 1)), ([], 2, (0, 1))])
def test_an_interaction_is_a_line_of_its_values(log, columns, item, slots):
    read = texts.in_tokens(dataclasses.replace(log, item=item), Letters(), PromptText(columns=columns, longest=9))
    assert np.array_equal(read.label, LOG.label)
    for row, tokens in zip(LOG.features, read.features, strict=True):
        words = [VALUES[row[slot]] for slot in slots if row[slot] >= 0]
        expected = ("\n" + " ".join(word for word in words if word))[:9]
        assert "".join(chr(each) for each in tokens if each >= 0) == expected
        assert (tokens[len(expected) :] == -1).all()


def test_a_column_that_the_log_has_not_is_refused(log):
    with pytest.raises(ConfigError, match=r"prompt\.columns=film: to be read as text there are a, b"):
        texts.in_tokens(log, Letters(), PromptText(columns=["film"]))
    with pytest.raises(ConfigError, match="' yes' is 4 tokens of the model, and must be one"):
        texts.word_of(Letters(), " yes", "prompt.labels")


@pytest.mark.parametrize("split", ["validation", "test"])
def test_the_first_targets_of_each_user(split):
    few = Prompts(texts.first_targets(LOG, split, 4), split, 3, 1)
    place = 1 + (split == "test")
    expected = [row for bounds in LOG.bounds for row in range(bounds[place], min(bounds[place] + 4, bounds[place + 1]))]
    assert few.rows(np.arange(len(few))).tolist() == expected


def batches_of(steps, size):
    """Of texts of one or two tokens; the last target of one prompt is missing."""
    rng = np.random.default_rng(0)
    features = rng.integers(1, 40, (steps, size, 6, 2))
    features[:, :, ::2, 1] = -1
    label = rng.integers(0, 2, (steps, size, 6))
    features[:, 0, -1], label[:, 0, -1] = -1, -1
    return Batch(features, label, label[:, :, -3:] >= 0)


@pytest.mark.slow
def test_a_step_is_one_on_the_merged_weights_and_moves_factors_alone(float64):
    """Against a loop with weights that are merged, prompt by prompt."""
    model, recipe = doubled(random_model()), Recipe(5, 2, 0.5, Optimizer.adamw, 0.01)
    reading = Reading((50, 51), 52, SCHEMES[StreamScheme.naive], 3, 18)
    factors = jax.tree.map(lambda leaf: leaf + 0.1, lora.begin(model, ["q", "up"], 2, jax.random.key(0)))
    batches = batches_of(3, 2)
    state, losses_S = training.take_steps(model, training.begin(factors, recipe), batches, recipe, ALPHA, reading)
    update, optimizer = meta.optimizer(recipe).update, meta.optimizer(recipe).init(factors)

    @jax.jit
    @jax.value_and_grad
    def loss(factors, batch):
        merged, terms = lora.merged(model, factors, ALPHA), []
        for features, label, is_target in zip(*jax.tree.leaves(batch), strict=True):
            log_p = jax.nn.log_softmax(streams.logits(merged, Stream(features, label, 3), reading))
            terms += [jnp.where(is_target[place], -log_p[place, label[3 + place]], 0.0) for place in range(3)]
        return sum(terms) / 5

    for step in range(3):
        batch = jax.tree.map(lambda x, step=step: jnp.asarray(x[step]), batches)
        assert np.sum(jax.tree.leaves(batch)[-1]) == 5
        value, gradient = loss(factors, batch)
        assert float(losses_S[step]) == pytest.approx(float(value), abs=1e-12)
        change, optimizer = update(gradient, optimizer, factors)
        factors = optax.apply_updates(factors, change)
    for got, expected in zip(jax.tree.leaves(state.factors), jax.tree.leaves(factors), strict=True):
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9)  # Adam divides by gradients near 0


@pytest.mark.slow
def test_few_targets_have_no_auc_and_a_rate_that_is_too_large_is_named(tmp_path_factory, tmp_path):
    words = words_of("dti_language")
    shutil.copytree(tiny_run(tmp_path_factory, "dti_language").folder, tmp_path, dirs_exist_ok=True)
    ran(*words, "eval.test=1", "eval.validation=1", cwd=tmp_path)
    large = lab_here(*words, "train.learning_rate=1e18", cwd=tmp_path)
    why = "the training loss became nan at step 1 with seed 0; lower train.learning_rate or lora.alpha"
    assert large.stderr == f"error: {why}\n"
