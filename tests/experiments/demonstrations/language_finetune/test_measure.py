"""One set of demonstrations on a small model with random weights: nulls, and what is known of them."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import kendalltau

from experiments.demonstrations.language_finetune import measure
from experiments.demonstrations.language_finetune.settings import Loss
from tests.lab.language.folders import random_model
from tests.trainers.language.test_prompts import opened
from trainers.language import prompts

BATCH = 5


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A model whose layers matter, with the lab's own texts; its vocabulary is larger than the texts' words."""
    plain = opened(tmp_path_factory.mktemp("model"))
    model = random_model(vocab_size=plain.model.arch.vocabulary, max_position_embeddings=128)
    return dataclasses.replace(plain, model=model)


@pytest.fixture(scope="module")
def demonstrations(here):
    return prompts.demonstrations(here, 0, 6)


@pytest.fixture(scope="module")
def readings(here, demonstrations):
    return measure.zero_shot(here, BATCH), measure.in_context(here, demonstrations, BATCH)


def tuned(here, items, rate, loss=Loss.all, epochs=1):
    return measure.tuned_on(here, items, rate, loss, epochs)


@pytest.mark.slow
def test_without_a_rate_fine_tuning_answers_and_attends_as_zero_shot(here, demonstrations, readings):
    zero, context = readings
    arm = measure.of_arm(here, tuned(here, demonstrations.items, 0.0), zero, context, BATCH)
    np.testing.assert_array_equal(arm["chosen"], zero.answers.chosen)
    np.testing.assert_array_equal(arm["loss"], zero.answers.loss)
    np.testing.assert_array_equal(arm["sim_aou"], 0)  # no update, which has no direction
    np.testing.assert_array_equal(arm["sim_am"], measure.alike(context, zero, BATCH))


def test_a_reading_is_like_itself(readings):
    _, context = readings
    np.testing.assert_allclose(measure.alike(context, context, BATCH), 1, atol=1e-5)
    np.testing.assert_allclose(measure.same_order(context.trace["scores"], context.trace["scores"], BATCH), 1)


def test_attention_maps_of_the_first_layer_do_not_see_demonstrations(readings):
    """Positions are rotary, and inputs of the first layer are words: its scores on a query are the same."""
    zero, context = readings
    similarity = measure.alike(context, zero, BATCH)
    np.testing.assert_allclose(similarity[0], 1, atol=1e-5)
    assert similarity[1:].max() < 0.9999


def test_fine_tuning_on_demonstrations_lowers_their_loss(here, demonstrations):
    """By rate x |gradient|^2 to first order, of one demonstration; and more with a second pass."""
    items = demonstrations.items[:1]
    losses = []
    for rate, epochs in ((0.0, 1), (0.01, 1), (0.01, 2)):
        each = tuned(here, items, rate, Loss.label, epochs)
        query = prompts.queries(here, items)[0]
        logits = each.model.logits(jnp.asarray(query.prompt))[-1]
        losses.append(-float(jax.nn.log_softmax(logits)[query.answers[items[0].right][0]]))
    assert losses[2] < losses[1] < losses[0]


def test_several_passes_are_one_after_the_other(here, demonstrations):
    items = demonstrations.items
    twice = tuned(here, items, 0.1, epochs=2)
    again = tuned(dataclasses.replace(here, model=tuned(here, items, 0.1).model), items, 0.1)
    for name in ("k", "v"):
        layers = (each.model.params["layers"][name] for each in (twice, again))
        np.testing.assert_allclose(*layers, atol=1e-6)
    np.testing.assert_allclose(twice.read, again.read, atol=1e-5)


def test_random_directions_and_orders_have_the_mean_and_spread_of_chance(readings):
    """A cosine with a random direction of D coordinates has mean 0 and variance 1 / D, and tau of a random order of N
    mean 0 and variance 2 (2 N + 5) / (9 N (N - 1)); means are within four standard errors, and variances of at least
    3,600 values, of which a fifteenth may be off, within 15 %."""
    zero, context = readings
    many = [measure.at_random(zero, context, jax.random.key(seed), BATCH) for seed in range(100)]
    width, count = context.trace["attended"].shape[-1], context.trace["scores"].shape[-1]
    variances = {"sim_aou": 1 / width, "kendall": 2 * (2 * count + 5) / (9 * count * (count - 1))}
    for name, variance in variances.items():
        values = np.stack([each[name] for each in many])
        assert abs(values.mean()) < 4 * math.sqrt(variance / values.size)
        assert values.var() == pytest.approx(variance, rel=0.15)


def test_kendall_is_scipys_and_of_one_demonstration_no_number():
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 7, 3, 6))
    expected = [[kendalltau(a[x, layer], b[x, layer])[0] for x in range(7)] for layer in range(3)]
    np.testing.assert_allclose(measure.same_order(a, b, 2), np.array(expected, float), atol=1e-6)
    assert np.isnan(measure.same_order(a[..., :1], b[..., :1], 2)).all()
    unseen = np.where(np.arange(6) < 2, -np.inf, a)  # outside of a window: they tie
    np.testing.assert_allclose(measure.same_order(unseen, unseen, 2), 14 / 15, atol=1e-6)


def test_shuffled_labels_are_those_of_the_set_and_its_texts_stay(demonstrations):
    items = [dataclasses.replace(item, right=place % 2) for place, item in enumerate(demonstrations.items)]
    orders = [measure.shuffled(items, "mine", seed) for seed in range(20)]
    for each in orders:
        assert [item.prompt for item in each] == [item.prompt for item in items]
        assert sorted(item.right for item in each) == sorted(item.right for item in items)
    kept = np.mean([[a.right == b.right for a, b in zip(items, each, strict=True)] for each in orders])
    assert abs(kept - 0.5) < 0.25  # four standard errors of 80 labels, half of which stay by chance
    assert measure.shuffled(items, "mine", 3) == orders[3]


def test_an_untrained_model_is_another_one_of_the_same_shape_and_the_rest_stays(here):
    one, same, other = (measure.untrained(here, jax.random.key(seed)) for seed in (1, 1, 2))
    assert jax.tree.map(jnp.shape, one.model.params) == jax.tree.map(jnp.shape, here.model.params)
    assert (one.model.arch, one.texts, one.tokenizer) == (here.model.arch, here.texts, here.tokenizer)
    for name in ("q", "k", "v", "o"):
        first, again, second, trained = (each.model.params["layers"][name] for each in (one, same, other, here))
        np.testing.assert_array_equal(first, again)
        assert not np.isclose(first, second).any(axis=(1, 2)).all()
        assert abs(np.corrcoef(np.ravel(first), np.ravel(trained))[0, 1]) < 4 / math.sqrt(first.size)


def test_the_order_of_all_else_is_answered_as_in_context_and_another_one_otherwise(here, demonstrations, readings):
    again, other = (
        prompts.answers_behind(here, items, BATCH)[0] for items in (demonstrations.items, demonstrations.items[::-1])
    )
    np.testing.assert_array_equal(again.loss, readings[1].answers.loss)
    assert not np.allclose(other.loss, again.loss, atol=1e-4)


def test_corrected_similarities_are_cosines_of_plain_changes(here, demonstrations, readings):
    """Of one row and layer, written out."""
    each = tuned(here, demonstrations.items, 1.0)
    zero_shot, in_context = readings
    arm = measure.of_arm(here, each, zero_shot, in_context, BATCH)
    after = measure.zero_shot(dataclasses.replace(here, model=each.model), BATCH)

    def alike(name, x, layer, head=()):
        zero, context, moved = (np.float64(r.trace[name][(x, layer, *head)]) for r in (*readings, after))
        a, b = context - zero, moved - zero
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    heads = readings[0].trace["own"].shape[2]
    for x, layer in ((0, 1), (5, 2), (11, 1)):
        assert arm["sim_aou_plain"][layer, x] == pytest.approx(alike("attended", x, layer), abs=1e-4)
        of_heads = [alike("own", x, layer, (head,)) for head in range(heads)]
        assert arm["sim_am_change"][layer, x] == pytest.approx(np.mean(of_heads), abs=1e-3)


def test_where_a_fine_tuning_diverges_nothing_is_measured(here, demonstrations, readings):
    zero, context = readings
    lost = tuned(here, demonstrations.items, math.inf)
    assert not np.isfinite(np.asarray(lost.model.params["layers"]["v"])).all()
    arm = measure.of_arm(here, lost, zero, context, BATCH)
    assert all(np.isnan(each).all() for each in arm.values())
    assert np.isnan(measure.validated(here, lost, demonstrations.validation, BATCH)["right"]).all()
