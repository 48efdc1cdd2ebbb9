"""Tokenizers that are trained here: word by word, and byte-level BPE in both forms of its files."""

import json
import pathlib
import shutil

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers, processors

from lab.errors import ConfigError, UserError
from lab.language.families import arch_of
from lab.language.tokens import Pieces, Tokenizer, pieces
from tests.lab.language import folders
from tests.lab.language.folders import LLAMA

TEXTS = ["Review: a fine film\nSentiment: positive\n\nReview: a bad film\n\nSentiment: negative\n\n"] * 4


def arch(words: int):
    return arch_of(LLAMA | {"vocab_size": words})


@pytest.fixture(scope="module")
def byte_level(tmp_path_factory):
    """A folder of the older form, as OPT's: `vocab.json` and `merges.txt`, and `</s>` in front of a text."""
    folder = tmp_path_factory.mktemp("older")
    folders.byte_level(TEXTS).model.save(str(folder))
    names = {"bos_token": {"content": "</s>"}, "eos_token": "</s>", "add_bos_token": True}
    (folder / "tokenizer_config.json").write_text(json.dumps(names))
    (folder / "config.json").write_text(json.dumps({"bos_token_id": 1}))
    return folder


@pytest.fixture(scope="module")
def words():
    inner = tokenizers.Tokenizer(
        models.WordLevel({"[UNK]": 0, "the": 1, "film": 2, "is": 3, "good": 4}, unk_token="[UNK]")
    )
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return Tokenizer.of(inner)


def newer(byte_level, tmp_path):
    """The same tokenizer as one `tokenizer.json`, whose own settings put `</s>` in front, pad and cut off."""
    inner = Tokenizer(byte_level).inner
    inner.post_processor = processors.TemplateProcessing(single="</s> $A", special_tokens=[("</s>", 1)])
    inner.enable_truncation(4)
    inner.enable_padding(length=64)
    inner.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_words(words, tmp_path):
    assert words.encode("the film is bad") == [1, 2, 3, 0]
    assert words.decode([1, 2]) == "the film"
    words.save(tmp_path)
    assert Tokenizer(tmp_path).encode("the film is bad") == [1, 2, 3, 0]


def test_both_forms_give_the_same_tokens(byte_level, tmp_path):
    """Also all of them, where a `tokenizer.json` would pad and cut off for batches of its own."""
    older, later = Tokenizer(byte_level), Tokenizer(newer(byte_level, tmp_path))
    for text in (*TEXTS[:1], "etwas Äußerst Fremdes 東京", ""):
        for special in (False, True):
            assert older.encode(text, special) == later.encode(text, special)
        assert older.encode(text, special=True) == [1, *older.encode(text)]
        assert older.decode(older.encode(text)) == text
    for tokenizer in (older, later):  # prompts of some sources have `</s>` between their examples
        assert 1 in tokenizer.encode("a film</s>a film")


def test_line_ends_inside_a_text_and_at_its_end_may_be_other_tokens(byte_level):
    """So demonstrations and query that are encoded apart have other tokens than the text of both together."""
    tokenizer = Tokenizer(byte_level)
    joined = tokenizer.encode("film\n\nReview: a")
    assert joined != tokenizer.encode("film\n\n") + tokenizer.encode("Review: a")
    assert tokenizer.decode(joined) == "film\n\nReview: a"


def test_pieces(byte_level, words):
    tokenizer = Tokenizer(byte_level)
    each = pieces(tokenizer, "Review: a fine film\nSentiment:", [" positive", " fine"])
    assert tokenizer.decode(each.prompt) == "Review: a fine film\nSentiment:"
    assert [tokenizer.decode(answer) for answer in each.answers] == [" positive", " fine"]
    assert pieces(words, "the film is", [" good"]) == Pieces([], [1, 2, 3], [[4]])


@pytest.mark.parametrize(("before", "prompt"), [
    ("a fine film\n\n", "Review: a film"), ("a fine film ", "film: a"), ("東京\n", "Äu"), ("", "a film"), ("a", "film"),
])  # fmt: skip
def test_pieces_of_one_text_are_its_tokens(byte_level, before, prompt):
    """A token is before the prompt where it ends there: its text is no longer than what stands before."""
    tokenizer = Tokenizer(byte_level)
    each = pieces(tokenizer, prompt, [" fine"], before)
    assert [*each.context, *each.prompt] == tokenizer.encode(before + prompt)
    assert [*each.context, *each.prompt, *each.answers[0]] == tokenizer.encode(before + prompt + " fine")
    assert before.startswith(tokenizer.decode(each.context))
    assert not before.startswith(tokenizer.decode([*each.context, each.prompt[0]]))


def test_an_answer_that_joins_the_prompt_is_refused(byte_level, words):
    for tokenizer, prompt, answer in (
        (Tokenizer(byte_level), "Sentiment: ", "positive"),
        (words, "the fi", "lm"),
        (words, "the film", " "),
    ):
        with pytest.raises(ConfigError, match="its tokens join those of the prompt") as caught:
            pieces(tokenizer, prompt, [answer])
        assert "\n" not in str(caught.value)


def test_another_models_tokenizer_is_refused(byte_level, tmp_path):
    size = Tokenizer(byte_level).inner.get_vocab_size()
    Tokenizer(byte_level, arch(size))
    with pytest.raises(UserError, match=f"has words up to number {size - 1}, and the model {size - 1} words"):
        Tokenizer(byte_level, arch(size - 1))
    other = shutil.copytree(byte_level, tmp_path / "other")
    (other / "config.json").write_text(json.dumps({"bos_token_id": 2}))
    with pytest.raises(UserError, match=r"'</s>' is number 1 in the tokenizer, and 2 in config.json"):
        Tokenizer(other, arch(size))


def test_files_that_are_missing_or_not_understood(byte_level, tmp_path):
    with pytest.raises(UserError, match=r"has no tokenizer.json, and no vocab.json with merges.txt"):
        Tokenizer(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(UserError, match="the tokenizer is not understood") as caught:
        Tokenizer(tmp_path)
    assert "\n" not in str(caught.value)


def older(tmp_path, words: list[str], merges: list[str] | None = None, **files) -> pathlib.Path:
    """A folder of the older form, with letters and some longer words; `files` by their names without .json."""
    letters = {sign: number for number, sign in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    (tmp_path / "vocab.json").write_text(json.dumps(letters | {word: 256 + i for i, word in enumerate(words)}))
    (tmp_path / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges or []))
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


def test_classes_of_the_older_form(tmp_path):
    """`<|endoftext|>` is one token where no file says so, as GPT-2's own program has it; others are letters. The
    settings may ask for a blank in front, and a class may be none that the lab knows."""
    tokenizer = Tokenizer(older(tmp_path, ["<|endoftext|>", "</s>"], config={"model_type": "gpt2"}))
    assert tokenizer.encode("a<|endoftext|>b")[1:-1] == [256]
    assert len(tokenizer.encode("a</s>b")) == 6
    tokenizer = Tokenizer(older(tmp_path, [], tokenizer_config={"add_prefix_space": True}))
    assert tokenizer.encode("a") == tokenizer.encode(" a")
    with pytest.raises(UserError, match=r"tokenizer_class=XLNetTokenizerFast is not supported without tokenizer.json"):
        Tokenizer(older(tmp_path, [], tokenizer_config={"tokenizer_class": "XLNetTokenizerFast"}))


@pytest.mark.parametrize(("model", "count"), [("gpt2", 1), ("gpt_neox", 1), ("qwen2", 2), ("qwen3", 2)])
def test_each_class_cuts_digits_in_its_way(model, count, tmp_path):
    """Qwen2's words have one digit, whatever the merges; GPT-2's have any number."""
    assert len(Tokenizer(older(tmp_path, ["12"], ["1 2"], config={"model_type": model})).encode("12")) == count


def test_special_and_added_tokens_of_files_of_their_own(tmp_path):
    """One with `lstrip` takes the blank before it."""
    special = {"eos_token": {"content": "<end>", "lstrip": True}, "bos_token": "<begin>"}
    folder = older(tmp_path, ["<end>"], special_tokens_map=special, added_tokens={"<x>": 258, "<begin>": 257},
                   tokenizer_config={"add_bos_token": True})  # fmt: skip
    tokenizer = Tokenizer(folder, arch(259))
    letter = tokenizer.encode("a")
    assert tokenizer.encode("a <end>a<x>", special=True) == [257, *letter, 256, *letter, 258]
    (folder / "added_tokens.json").write_text('{"<x>": 300}')
    with pytest.raises(UserError, match="the token '<x>' has the number 300, and 257 in the vocabulary"):
        Tokenizer(folder)


def test_nothing_stands_behind_a_text(words, tmp_path):
    """The tokenizer's own settings put tokens around it; a query or an answer follows."""
    around = processors.TemplateProcessing(single="good $A [UNK]", special_tokens=[("good", 4), ("[UNK]", 0)])
    words.save(tmp_path)
    inner = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for processor in (around, processors.Sequence([processors.ByteLevel(), around])):
        inner.post_processor = processor
        inner.save(str(tmp_path / "tokenizer.json"))
        tokenizer = Tokenizer(tmp_path)
        assert tokenizer.encode("the film", special=True) == [4, 1, 2]
        assert tokenizer.encode("", special=True) == [4]


def test_a_token_for_padding_may_be_beyond_the_models_words(words, tmp_path):
    """It is never needed; a text that has it is refused, as JAX would take the last row of the table for it."""
    words.save(tmp_path)
    inner = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    inner.add_special_tokens(["<pad>"])
    inner.save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(UserError, match="has words up to number 5, and the model 5 words"):
        Tokenizer(tmp_path, arch(5))
    (tmp_path / "tokenizer_config.json").write_text('{"pad_token": "<pad>"}')
    tokenizer = Tokenizer(tmp_path, arch(5))
    assert tokenizer.encode("the film") == [1, 2]
    with pytest.raises(UserError, match="a text has the token '<pad>', number 5, and the model has 5 words"):
        tokenizer.encode("the <pad> film")


def with_parts(words, tmp_path, **parts) -> pathlib.Path:
    """The tokenizer of words with other parts of its `tokenizer.json`."""
    words.save(tmp_path)
    whole = json.loads((tmp_path / "tokenizer.json").read_text())
    (tmp_path / "tokenizer.json").write_text(json.dumps(whole | parts))
    return tmp_path


@pytest.mark.parametrize("part", ["normalizer", "decoder"])
@pytest.mark.parametrize("pattern", [{"String": "a"}, {"Regex": "a"}])
def test_replacements_that_fill_the_memory_are_refused(part, pattern, words, tmp_path):
    """Sixty that double a text; two are none of the kind, and neither are sixty that do not make it longer."""

    def folder(content: str, count: int) -> pathlib.Path:
        steps = [{"type": "Replace", "pattern": pattern, "content": content}] * count
        names = "normalizers" if part == "normalizer" else "decoders"
        return with_parts(words, tmp_path, **{part: {"type": "Sequence", names: steps}})

    with pytest.raises(UserError, match="its replacements can make a text more than 65,536 times as long"):
        Tokenizer(folder("aa", 60))
    Tokenizer(folder("aa", 2))
    Tokenizer(folder("", 60))


def test_an_expression_that_goes_back_without_end_is_one_line(words, tmp_path):
    """The package gives up after ten million steps, with an exception that is no `Exception`."""
    cut = {"type": "Split", "pattern": {"Regex": "(x+x+)+y"}, "behavior": "Isolated", "invert": False}
    tokenizer = Tokenizer(with_parts(words, tmp_path, pre_tokenizer=cut))
    with pytest.raises(UserError, match="the tokenizer cannot read a text") as caught:
        tokenizer.encode("x" * 40)
    assert "\n" not in str(caught.value)
