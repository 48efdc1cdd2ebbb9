"""Prompts of a language model: sets that fit, queries that begin a text, and how right answers are."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tokenizers
from tokenizers import models, processors

from lab.config.small_language import SmallModel
from lab.errors import ConfigError, NotFinite
from lab.language.model import LanguageModel
from lab.language.scoring import Scores, encode, padded
from lab.language.shapes import init_params
from lab.language.tokens import Tokenizer
from tasks.texts.form import Item
from tasks.texts.known import OWN
from tasks.texts.read import Labelled
from tasks.texts.settings import Answer, Tokens
from tasks.texts.words import ADJECTIVES, NOUNS
from tests.lab.language import folders
from tests.lab.language.folders import random_model
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


SEAMS = {"\n\n": True, " ": True, "\n": False, "</s>": False}  # separators that encoding apart makes other tokens of
START = ["", "9", "Éé", '"', "x"]


def byte_level(tmp_path, separator, begin="</s> ", **form):
    """The same with a byte-level BPE, which puts `</s>` in front of a text, and rows that begin in many ways."""
    inner = folders.byte_level(['the cat, the fine\n\nbad bad\n\n\n good \n\n"the dog" is bad\n\n'] * 4)
    inner.post_processor = processors.TemplateProcessing(single=f"{begin}$A", special_tokens=[("</s>", 1)])
    rows = [FORM.item({"text": f"{START[i % 5]}the {NOUNS[i]}", "sentiment": i % 2}, FORM.values, i, "here")
            for i in range(32)]  # fmt: skip
    rows = [
        dataclasses.replace(row, prompt=row.prompt.removeprefix("text "), answers=(" bad", " good")) for row in rows
    ]
    texts = Labelled("mine", dataclasses.replace(FORM, separator=separator, **form), FORM.words, rows[10:], rows[:10])
    model = random_model(vocab_size=inner.get_vocab_size(), max_position_embeddings=512)
    return Opened(model, Tokenizer.of(inner), texts, tmp_path)


def test_a_word_is_one_token_and_a_demonstration_eight(tmp_path):
    here = opened(tmp_path)
    each = prompts.demonstrations(here, 0, 10)
    assert len(each.items) == 4
    tokens = prompts.asked(here, each.items, here.texts.test).tokens
    assert len(tokens) == 4 * 8
    text = here.tokenizer.decode(tokens)
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


@pytest.mark.parametrize("separator", ["", *SEAMS])
def test_answers_behind_shared_demonstrations_are_those_of_whole_texts(separator, tmp_path):
    """The log-probabilities of a text that repeats them, encoded and computed at once."""
    here = byte_level(tmp_path, separator) if separator else opened(tmp_path)
    each, test = prompts.demonstrations(here, 1, 4), here.texts.test
    asked = prompts.asked(here, each.items, test)
    answers = prompts.answers(here, test, asked.queries[0], encode(here.model, asked.tokens), 4)
    logits = jax.jit(here.model.logits)
    for item, loss in zip(test, answers.loss, strict=True):
        text = "".join(shown.shown + here.separator for shown in each.items) + item.prompt
        first = len(here.tokenizer.encode(text, special=True))
        values = []
        for answer in item.answers:
            tokens = here.tokenizer.encode(text + answer, special=True)
            log_p_TxV = jax.nn.log_softmax(logits(jnp.asarray(padded([tokens])[0])))
            values.append(sum(float(log_p_TxV[place - 1, tokens[place]]) for place in range(first, len(tokens))))
        by_hand = np.log(np.sum(np.exp(values))) - values[item.right]
        assert loss == pytest.approx(by_hand, abs=5e-5)  # sums of some log-probabilities of about 5 in float32


@pytest.mark.parametrize("separator", SEAMS)
def test_tokens_are_those_of_the_whole_text(separator, tmp_path):
    """Of each row behind demonstrations, which are shared as far as all rows have the same tokens for them."""
    here = byte_level(tmp_path, separator)
    shown, test = prompts.demonstrations(here, 0, 4).items, here.texts.test
    asked = prompts.asked(here, shown, test[:5], test[5:])
    text = "".join(item.shown + separator for item in shown)
    for item, query in zip(test, [*asked.queries[0], *asked.queries[1]], strict=True):
        for option, answer in zip(item.answers, query.answers, strict=True):
            expected = here.tokenizer.encode(text + item.prompt + option, special=True)
            assert [*asked.tokens, *query.prompt, *answer] == expected
    assert text.startswith(here.tokenizer.decode(asked.tokens[1:]))
    assert len(asked.tokens) > len(here.tokenizer.encode(text)) - 3
    apart = prompts.asked(byte_level(tmp_path, separator, tokens=Tokens.apart), shown, test)
    assert apart.tokens == here.tokenizer.encode(text, special=True)
    differ = [[*apart.tokens, *a.prompt] != [*asked.tokens, *q.prompt]
              for a, q in zip(apart.queries[0][:5], asked.queries[0], strict=True)]  # fmt: skip
    assert any(differ) == SEAMS[separator]


@pytest.mark.parametrize("name", OWN)
def test_the_labs_own_texts_have_the_same_tokens_whole_and_apart(name, tmp_path):
    """Their words are tokens, with blanks between them; so results on them are the same."""
    both = [
        opened(tmp_path, separator=OWN[name].separator, template=OWN[name].template, tokens=each) for each in Tokens
    ]
    for count in (0, 4):
        whole, apart = (prompts.asked(each, each.texts.train[:count], each.texts.test) for each in both)
        assert whole == apart
        assert len(whole.tokens) == 8 * count


def test_demonstrations_of_the_whole_text_fit_with_what_the_seam_adds(tmp_path):
    """A blank line is one token at the end of a text, and two within it."""
    apart, whole = (byte_level(tmp_path, "\n\n", "", tokens=each) for each in (Tokens.apart, Tokens.whole))
    items = prompts.demonstrations(apart, 0, 4).items
    asked = prompts.asked(apart, items, apart.texts.test)
    positions = len(asked.tokens) + prompts.longest(asked.queries[0])
    for here, left_out in ((apart, 0), (whole, 1)):
        arch = dataclasses.replace(here.model.arch, max_positions=positions)
        limited = dataclasses.replace(here, model=dataclasses.replace(here.model, arch=arch))
        each = prompts.demonstrations(limited, 0, 4)
        assert each.left_out == left_out
        assert prompts.fits(limited, each.items)
        assert prompts.fits(limited, items) == (not left_out)


def test_answers_that_are_no_numbers_name_the_folder_and_the_row(tmp_path):
    """The largest of NaN would be the first word: half of the rows would be right."""
    here = opened(tmp_path)
    leaves, tree = jax.tree.flatten(here.model.params)
    params = jax.tree.unflatten(tree, [leaf * jnp.nan if leaf.ndim == 3 else leaf for leaf in leaves])
    here = dataclasses.replace(here, model=LanguageModel(here.model.arch, params))
    test, queries = here.texts.test, prompts.queries(here, here.texts.test)
    with pytest.raises(NotFinite, match=f"^{tmp_path}: .* in 12 of 12 rows of mine, first in row 1: its weights are"):
        prompts.answers(here, test, queries, None, 4)
    assert np.isnan(prompts.answers(here, test, queries, None, 4, may_diverge=True).loss).all()


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


@pytest.mark.parametrize("count", [0, 4])
def test_calibrated_answers_are_those_of_zhao_et_al(count, tmp_path):
    """W p, W = diag(1 / p of inputs without content), from whole sequences: no tokens are shared or padded."""
    here = opened(tmp_path, answer=Answer.calibrated)
    shown, test = here.texts.train[:count], here.texts.test
    before = "".join(f"{item.shown} ; " for item in shown)
    words = [here.tokenizer.encode(word)[0] for word in here.texts.words]

    def probabilities(query):
        logits_C = here.model.logits(jnp.asarray(here.tokenizer.encode(before + query)))[-1, jnp.array(words)]
        return np.exp(np.asarray(logits_C, float)) / np.exp(np.asarray(logits_C, float)).sum()

    free_C = np.mean([probabilities(f"text {each} sentiment") for each in ("N/A", "[MASK]", "")], axis=0)
    calibrated_XxC = np.stack([probabilities(item.prompt) for item in test]) / free_C
    calibrated_XxC /= calibrated_XxC.sum(axis=1, keepdims=True)
    asked = prompts.asked(here, shown, test)
    history = encode(here.model, asked.tokens) if count else None
    answers = prompts.answers(here, test, asked.queries[0], history, 5)
    right_X = np.array([item.right for item in test])
    np.testing.assert_allclose(answers.loss, -np.log(calibrated_XxC[np.arange(12), right_X]), rtol=0, atol=1e-5)
    assert answers.chosen.tolist() == np.argmax(calibrated_XxC, axis=1).tolist()
    plain = dataclasses.replace(here, texts=dataclasses.replace(here.texts, form=dataclasses.replace(FORM)))
    apart = prompts.answers(plain, test, prompts.asked(plain, shown, test).queries[0], history, 5)
    assert np.abs(answers.loss - apart.loss).max() > 1e-3, "calibration changes something here"


def test_the_end_of_a_text_is_the_models_own(tmp_path):
    def ending(config, separator="{end}"):
        here = opened(tmp_path, separator=separator)
        arch = dataclasses.replace(here.model.arch, config=config)
        return dataclasses.replace(here, model=LanguageModel(arch, here.model.params))

    assert ending('{"eos_token_id": 0}', " {end} ").separator == " <end> "
    with pytest.raises(ConfigError, match="names no token for the end of a text"):
        prompts.text_of(ending("{}"), items(1))
    letters = Tokenizer.of(tokenizers.Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [])))
    with pytest.raises(ConfigError, match="names no token for the end of a text"):  # spelled in letters
        _ = dataclasses.replace(ending('{"eos_token_id": 2}'), tokenizer=letters).separator


@pytest.mark.parametrize("tokens", Tokens)
@pytest.mark.parametrize("separator", [" ; ", "\n\n", "\n", "</s>"])
def test_the_bounds_of_demonstrations_hold_their_tokens_and_no_separator(separator, tokens, tmp_path):
    is_own = separator == " ; "
    here = opened(tmp_path, tokens=tokens) if is_own else byte_level(tmp_path, separator, tokens=tokens)
    shown, test = prompts.demonstrations(here, 0, 4).items, here.texts.test
    asked, bounds = prompts.asked(here, shown, test).tokens, prompts.bounds_of(here, shown, test[0])
    for (first, end), item in zip(bounds, shown, strict=True):
        assert here.tokenizer.decode(asked[first:end]) == item.shown
    for (_, end), (first, _) in zip(bounds, [*bounds[1:], (len(asked), 0)], strict=True):
        assert here.tokenizer.decode(asked[end:first]) == (separator.strip() if is_own else separator)
