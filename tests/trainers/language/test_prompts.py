"""Prompts of a language model: sets that fit, queries that begin a text, and how right answers are."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.config.small_language import SmallModel
from lab.errors import ConfigError, NotFinite
from lab.language.model import LanguageModel
from lab.language.scoring import Scores, encode
from lab.language.shapes import init_params
from tasks.texts.form import Item
from tasks.texts.known import OWN
from tasks.texts.read import Labelled
from tasks.texts.settings import Answer
from tasks.texts.words import ADJECTIVES, NOUNS
from trainers.language import prompts, small
from trainers.language.opened import Opened

FORM = OWN["own_exchanged"]


def items(count):
    rows = [{"text": f"the {NOUNS[i % 32]} is {ADJECTIVES[(7 * i) % 32]}", "sentiment": i % 2} for i in range(count)]
    return [FORM.item(cells, FORM.values, row, "here") for row, cells in enumerate(rows)]


def opened(tmp_path, positions=512, examples=2, **form):
    """Return a small model with random weights, and texts."""
    arch = small.arch_of_settings(SmallModel(num_layers=2, width=16, num_heads=2, mlp_width=16, positions=positions))
    texts = Labelled("mine", dataclasses.replace(FORM, examples=examples, **form), FORM.words, items(40), items(12))
    model = LanguageModel(arch, init_params(arch, jax.random.key(0)))
    return Opened(model, small.tokenizer(), texts, tmp_path)


def test_a_word_is_one_token_and_a_demonstration_eight(tmp_path):
    here = opened(tmp_path)
    each = prompts.demonstrations(here, 0, 10)
    assert len(each.items) == 4
    assert len(each.tokens) == 4 * 8
    text = here.tokenizer.decode(each.tokens)
    assert text == "".join(item.shown + " ; " for item in each.items).strip()
    assert each.left_out == 0
    shown = {item.row for item in each.items}
    assert len(each.validation) == 10
    assert not shown & {item.row for item in each.validation}


@pytest.mark.parametrize(
    ("positions", "readings", "count"), [(64, 1, 6), (48, 1, 5), (48, 2, 3), (31, 1, 3), (16, 2, 1)]
)
def test_demonstrations_that_do_not_fit_are_left_out_and_counted(positions, readings, count, tmp_path):
    """A query with its answer has seven tokens, and a demonstration eight."""
    here = opened(tmp_path, positions, examples=3)
    each = prompts.demonstrations(here, 0, 10, readings)
    assert len(each.items) == count
    assert each.left_out == 6 - count
    whole = prompts.demonstrations(opened(tmp_path, examples=3), 0, 10)
    assert each.items == whole.items[:count]


def test_what_can_never_fit_is_one_line(tmp_path):
    with pytest.raises(ConfigError, match="a query has 7 tokens, and the model 7 positions"):
        prompts.demonstrations(opened(tmp_path, positions=16, test=0).__class__(**changed(tmp_path, 7)), 0, 10)
    with pytest.raises(
        ConfigError, match="one demonstration has 8 tokens, a query up to 7, and the model 14 positions"
    ):
        prompts.demonstrations(Opened(**changed(tmp_path, 14)), 0, 10)


def changed(tmp_path, positions):
    """The fields of a model with fewer positions than its settings allow."""
    here = opened(tmp_path)
    model = dataclasses.replace(here.model, arch=dataclasses.replace(here.model.arch, max_positions=positions))
    return {"model": model, "tokenizer": here.tokenizer, "texts": here.texts, "folder": tmp_path}


def test_answers_behind_shared_demonstrations_are_those_of_whole_prompts(tmp_path):
    """The log-probabilities of a prompt that repeats them, computed at once by the model itself."""
    here = opened(tmp_path)
    each = prompts.demonstrations(here, 1, 4)
    answers = prompts.answers(here, here.texts.test, encode(here.model, each.tokens), 4)
    for item, query, loss in zip(here.texts.test, prompts.queries(here, here.texts.test), answers.loss, strict=True):
        tokens = jnp.asarray([*each.tokens, *query.prompt])
        log_p = jax.nn.log_softmax(here.model.logits(tokens)[-1])
        values = np.array([float(log_p[answer[0]]) for answer in query.answers], np.float64)
        by_hand = np.log(np.sum(np.exp(values))) - values[item.right]
        assert loss == pytest.approx(by_hand, abs=2e-5)  # log-probabilities of about 4 in float32


def test_answers_that_are_no_numbers_name_the_folder_and_the_row(tmp_path):
    """The largest of NaN would be the first word: half of the rows would be right."""
    here = opened(tmp_path)
    leaves, tree = jax.tree.flatten(here.model.params)
    params = jax.tree.unflatten(tree, [leaf * jnp.nan if leaf.ndim == 3 else leaf for leaf in leaves])
    here = dataclasses.replace(here, model=LanguageModel(here.model.arch, params))
    with pytest.raises(NotFinite, match=f"^{tmp_path}: .* in 12 of 12 rows of mine, first in row 1: its weights are"):
        prompts.answers(here, here.texts.test, None, 4)
    assert np.isnan(prompts.answers(here, here.texts.test, None, 4, may_diverge=True).loss).all()


SUMS = np.array([[-1.0, -2.0, -3.0], [-2.0, -2.0, -5.0], [-3.0, -1.0, -np.inf]])
COUNTS = np.array([[1, 4, 1], [1, 1, 1], [1, 1, 1]])
ROWS = [Item("", (), 1, 0), Item("", (), 1, 1), Item("", (), 0, 2)]


def test_answers_are_judged_by_sums_or_means_with_the_effect_of_ties():
    by_sum, by_mean = (prompts.judged(Scores(SUMS, COUNTS), ROWS, number) for number in (Answer.sum, Answer.mean))
    assert by_sum.right.tolist() == [False, False, False], "of equal ones the first is taken"
    second = 1 / math.log2(3)
    assert by_sum.effect == pytest.approx([second, (1 + second) / 2, second], abs=1e-15)
    assert by_mean.right.tolist() == [True, False, False]
    total = math.log(math.exp(-1) + math.exp(-2) + math.exp(-3))
    assert by_sum.loss[0] == pytest.approx(total + 2, abs=1e-12)
    assert by_sum.loss[2] == pytest.approx(math.log(math.exp(-3) + math.exp(-1)) + 3, abs=1e-12)


def test_the_end_of_a_text_is_the_models_own(tmp_path):
    here = opened(tmp_path, separator=" {end} ")
    (tmp_path / "config.json").write_text('{"eos_token_id": 0}')
    assert here.separator == " <end> "
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match="names no token for the end of a text"):
        prompts.tokens_of(opened(tmp_path, separator="{end}"), items(1))


def test_the_bounds_of_demonstrations_hold_their_tokens_and_no_separator(tmp_path):
    here = opened(tmp_path)
    each = prompts.demonstrations(here, 0, 4)
    bounds = prompts.bounds_of(here, each.items)
    assert bounds == [(8 * n, 8 * n + 7) for n in range(4)]
    for (first, end), item in zip(bounds, each.items, strict=True):
        assert here.tokenizer.decode(each.tokens[first:end]) == item.shown
        assert here.tokenizer.decode(each.tokens[end : end + 1]) == ";"
