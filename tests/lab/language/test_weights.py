"""Folders of models: what is read exactly, and one clear line for each that cannot be read."""

import functools
import json
import pathlib
import pickle
import sys

import chex
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from lab.language import weights as module
from lab.language.files import Tensors
from lab.language.tokens import Tokenizer
from lab.language.weights import load, save
from tests.lab.language.folders import (
    SHARD,
    changed,
    config,
    golden,
    loaded,
    random_model,
    sharded,
    tensors,
    the_line,
    write,
)  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """A folder of the golden GPT-2."""
    return write(tmp_path, config("gpt2"), tensors(golden("gpt2")))


same = functools.partial(chex.assert_trees_all_equal, strict=True)  # to the bit


@pytest.mark.parametrize("changes", [{}, {"tie_word_embeddings": True, "attention_bias": True}], ids=str)
def test_a_model_that_the_lab_writes_is_read_back(changes, tmp_path):
    model = random_model(**changes)
    save(tmp_path / "new", model)
    again = load(tmp_path / "new")
    same(again.params, model.params)
    assert again.arch == model.arch
    written = json.loads((tmp_path / "new" / "config.json").read_text())
    assert (written["architectures"], written["dtype"]) == (["LlamaForCausalLM"], "float32")


@pytest.mark.parametrize("name", ["gpt2", "opt", "bloom", "gpt_neox", "qwen3"])
def test_prefixes_and_shards_change_nothing(name, tmp_path):
    """A file of the Transformer alone has no prefix, and one with shards has the same arrays."""
    arrays = tensors(golden(name))
    same(load(write(tmp_path / "one", config(name), arrays)).params, loaded(name).params)
    short = {key.removeprefix("transformer.").removeprefix("model.").removeprefix("gpt_neox."): each
             for key, each in arrays.items()}  # fmt: skip
    sharded(write(tmp_path / "two", config(name), short), short)
    same(load(tmp_path / "two").params, loaded(name).params)


@pytest.mark.parametrize(
    ("name", "table"), [("opt", "model.decoder.embed_tokens.weight"), ("gpt2", "transformer.wte.weight")]
)
def test_tied_weights_may_have_either_name(name, table, tmp_path):
    arrays = tensors(golden(name))
    arrays["lm_head.weight"] = arrays.pop(table)
    same(load(write(tmp_path, config(name), arrays)).params, loaded(name).params)


def test_buffers_are_no_weights(tmp_path):
    """Older files hold GPT-2's masks and Llama's frequencies beside the weights."""
    arrays = tensors(golden("gpt2"))
    arrays |= {
        "h.0.attn.bias": np.tril(np.ones((1, 1, 48, 48), np.uint8)),
        "h.0.attn.masked_bias": np.full(1, -1e4, np.float32),
    }
    same(load(write(tmp_path, config("gpt2"), arrays)).params, loaded("gpt2").params)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_files_of_every_type_are_read_exactly(dtype, tmp_path):
    arrays = {key: np.asarray(each, dtype) for key, each in tensors(golden("gpt2")).items()}
    model = load(write(tmp_path, config("gpt2"), arrays))
    np.testing.assert_array_equal(model.params["embed"], arrays["transformer.wte.weight"].astype(np.float32))
    assert {leaf.dtype for leaf in jax.tree.leaves(model.params)} == {np.dtype(np.float32)}


def test_shards_that_are_damaged_or_missing(folder):
    sharded(folder, tensors(golden("gpt2")))
    shard = folder / SHARD.format(2)
    shard.write_bytes(shard.read_bytes()[:-100])
    assert f"{shard}: damaged or cut off; copy it again (" in the_line(lambda: load(folder))
    shard.unlink()
    assert f"names {shard.name}, which is not there" in the_line(lambda: load(folder))


def test_a_pickle_is_never_opened(folder):
    """One that would write a file if it were read."""

    class Program:
        def __reduce__(self):
            return pathlib.Path.touch, (folder / "opened",)

    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Program()))
    line = the_line(lambda: load(folder))
    assert "pytorch_model.bin" in line
    assert f"from_pretrained('{folder}').save_pretrained('{folder}')" in line
    assert not (folder / "opened").exists()


def test_packages_that_are_not_installed(folder, monkeypatch):
    """None in the table of modules is how Python marks one that cannot be imported."""
    for name in ("safetensors", "tokenizers"):
        monkeypatch.setitem(sys.modules, name, None)
    advice = "pip install -e '.[language]' in the lab's folder"
    assert the_line(lambda: load(folder)) == f"language models need safetensors: {advice}"
    assert the_line(lambda: Tokenizer(folder)) == f"language models need tokenizers: {advice}"


def test_missing_files_and_other_names(folder, tmp_path):
    assert "no such folder" in the_line(lambda: load(tmp_path / "nowhere"))
    assert the_line(lambda: load(folder, "float16")) == "lm.dtype=float16: allowed: bfloat16, float32"
    assert "model_type=gpt2: only models of the type llama" in the_line(lambda: save(tmp_path, loaded("gpt2")))
    (folder / "model.safetensors").unlink()
    assert the_line(lambda: load(folder)) == f"{folder}: has no model.safetensors"
    (folder / "model.safetensors.index.json").write_text('{"weight_map": 3}')
    assert "model.safetensors.index.json: has no weight_map" in the_line(lambda: load(folder))
    (folder / "config.json").write_text("{")
    assert "config.json: is no JSON" in the_line(lambda: load(folder))
    (folder / "config.json").unlink()
    assert "config.json: cannot be read" in the_line(lambda: load(folder))


@pytest.mark.parametrize("name", [
    "wte.weight", "h.1.ln_2.bias", "h.2.attn.c_attn.weight", "ln_f.weight",
])  # fmt: skip
def test_a_weight_that_is_missing(name, tmp_path):
    arrays = tensors(golden("gpt2"))
    del arrays[f"transformer.{name}"]
    line = the_line(lambda: load(write(tmp_path, config("gpt2"), arrays)))
    assert f"has no weight {name}, with or without" in line


def test_a_bias_that_would_be_left_out(tmp_path):
    """Its weights are those of a model with biases, and its configuration has lost the key that says so."""
    folder = write(tmp_path, config("llama_tied"), tensors(golden("llama_tied")))
    line = the_line(lambda: load(changed(folder, attention_bias=None)))
    assert "_proj.bias, and config.json says that the model has no such bias" in line


def test_a_weight_of_another_shape(folder, monkeypatch):
    """It is not read, as it can be far larger than the memory; the table of words is, before it."""
    read, first = Tensors.__getitem__, {"transformer.wte.weight": "transformer.wte.weight"}
    monkeypatch.setattr(Tensors, "__getitem__", lambda self, name: read(self, first[name]))
    assert "transformer.wpe.weight has the shape (48, 24), which config.json contradicts" in the_line(
        lambda: load(changed(folder, n_positions=64))
    )


def test_not_enough_memory(folder, monkeypatch):
    """The golden GPT-2 has 26,160 weights. No file of weights is opened before their size is known to fit."""
    weights = sum(leaf.size for leaf in jax.tree.leaves(loaded("gpt2").params))
    monkeypatch.setattr(module, "memory_to_divide", lambda: 3 * weights)
    moved = (folder / "model.safetensors").rename(folder / "elsewhere")
    assert "GB are free; lm.dtype=bfloat16 halves them" in the_line(lambda: load(folder))
    moved.rename(folder / "model.safetensors")
    assert load(folder, "bfloat16").params["embed"].dtype == ml_dtypes.bfloat16
    monkeypatch.setattr(module, "memory_to_divide", lambda: 4 * weights)
    load(folder)


def test_a_head_of_its_own_is_used(tmp_path):
    """Its configuration says that the head is the table of words; a head that is equal to it is no other."""
    arrays, notes = tensors(golden("gpt2")), []
    other = arrays["transformer.wte.weight"][::-1].copy()
    model = load(write(tmp_path, config("gpt2"), arrays | {"lm_head.weight": other}), note=notes.append)
    tied, tokens = loaded("gpt2"), jnp.arange(5)
    np.testing.assert_allclose(model.logits(tokens), tied.logits(tokens)[:, ::-1], rtol=1e-6)
    assert [f"{tmp_path}: the weights have a head of their own, which is used" in line for line in notes] == [True]
    equal = write(tmp_path, config("gpt2"), arrays | {"lm_head.weight": arrays["transformer.wte.weight"]})
    same(load(equal, note=notes.append).params, tied.params)
    assert len(notes) == 1


def test_tied_tables_leave_the_heads_bias(tmp_path):
    arrays = tensors(golden("gptj")) | {"lm_head.weight": tensors(golden("gptj"))["transformer.wte.weight"]}
    untied = load(write(tmp_path, config("gptj"), arrays)).logits(jnp.arange(5))
    tied = load(changed(tmp_path, tie_word_embeddings=True))
    assert "head" not in tied.params
    np.testing.assert_array_equal(tied.logits(jnp.arange(5)), untied)


def test_the_window_of_each_layer(tmp_path):
    """What the last token sees through three windows of 6 begins 15 tokens before it; one layer without sees all."""
    full, window = "full_attention", "sliding_attention"
    folder = write(tmp_path, config("mistral"), tensors(golden("mistral")))
    tokens = jnp.arange(30)

    def last(tokens, *kinds):
        return np.asarray(load(changed(folder, layer_types=[*kinds] or None)).logits(tokens)[-1])

    np.testing.assert_array_equal(last(tokens, window, window, window), last(tokens))
    moved = tokens.at[0].set(50)
    np.testing.assert_array_equal(last(moved, window, window, window), last(tokens))
    for kinds in ((full, window, window), (window, full, window), (window, window, full)):
        assert load(changed(folder, layer_types=[*kinds])).arch.local == tuple(kind == window for kind in kinds)
        assert np.abs(last(tokens, *kinds) - last(tokens)).max() > 1e-3
    everything = last(tokens, full, full, full)
    np.testing.assert_array_equal(
        load(changed(folder, sliding_window=None, layer_types=None)).logits(tokens)[-1], everything
    )


ONE = np.arange(24 * 96).reshape(24, 96) == 293
SPOILT = {  # values of a weight: what the line says behind its name
    "nan": (np.where(ONE, np.nan, 1.0).astype(np.float16), "has values that are not finite numbers"),
    "infinity": (np.where(ONE, np.inf, 1.0).astype(np.float16), "has values that are not finite numbers"),
    "I8": (np.ones((24, 96), np.int8), "has the type I8: quantised weights are not supported"),
    "U8": (np.ones((24, 96), np.uint8), "has the type U8: quantised weights are not supported"),
    "F8": (np.ones((24, 96), ml_dtypes.float8_e4m3fn), "has the type F8_E4M3: quantised weights are not supported"),
}


@pytest.mark.parametrize("case", SPOILT)
def test_a_weight_that_is_not_finite_or_quantised_is_named(case, tmp_path):
    """Without a word on it in the configuration."""
    name, (values, text) = "transformer.h.1.mlp.c_fc.weight", SPOILT[case]
    folder = write(tmp_path, config("gpt2"), tensors(golden("gpt2")) | {name: values})
    assert f"{name} {text}" in the_line(lambda: load(folder))


def test_weights_that_nothing_uses_are_noted(folder):
    """The third layer has 12 arrays, and the first of them by name is the bias of its queries, keys and values."""
    notes = []
    load(folder, note=notes.append)
    assert not notes
    load(changed(folder, n_layer=2), note=notes.append)
    assert len(notes) == 1
    assert notes[0].endswith("does not lead to are not used: 12, such as transformer.h.2.attn.c_attn.bias")


def test_one_file_stands_before_an_index(folder):
    """As in `transformers`: the index and its shards are what an earlier program left."""
    arrays = tensors(golden("gpt2"))
    sharded(folder, arrays)
    write(folder, config("gpt2"), arrays | {"transformer.wte.weight": 2 * arrays["transformer.wte.weight"]})
    np.testing.assert_array_equal(load(folder).params["embed"], 2 * loaded("gpt2").params["embed"])


def test_older_names_of_rotary_settings(tmp_path):
    """Files of `transformers` 4 have `rope_theta` and `rope_scaling`, and a `type` instead of a `rope_type`."""
    settings = config("llama_tied")
    rope = settings.pop("rope_parameters")
    older = settings | {"rope_theta": rope["rope_theta"], "rope_scaling": {"type": "linear", "factor": rope["factor"]}}
    again = load(write(tmp_path, older, tensors(golden("llama_tied"))))
    assert again.arch == loaded("llama_tied").arch
    older["rope_theta"] = 99.0
    assert load(write(tmp_path, older, tensors(golden("llama_tied")))).arch != again.arch
