"""Folders of models: what is read exactly, and one clear line for each that cannot be read."""

import json
import pathlib
import pickle
import sys

import jax
import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

from lab.errors import UserError
from lab.language import weights as module
from lab.language.tokens import Tokenizer
from lab.language.weights import load, save
from tests.lab.language.folders import config, golden, loaded, random_model, tensors, write

SHARD = "model-0000{}-of-00002.safetensors"


@pytest.fixture
def folder(tmp_path):
    """A folder of the golden GPT-2."""
    return write(tmp_path, config("gpt2"), tensors(golden("gpt2")))


def sharded(folder: pathlib.Path, arrays: dict[str, np.ndarray]) -> None:
    """Two files of every second weight, and their index."""
    (folder / "model.safetensors").unlink()
    parts = [{name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)[i::2]} for i in (0, 1)]
    for number, part in enumerate(parts, start=1):
        save_file(part, folder / SHARD.format(number))
    places = {name: SHARD.format(number) for number, part in enumerate(parts, start=1) for name in part}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))


def same(one, other):
    """The same arrays, to the bit."""
    assert jax.tree.structure(one) == jax.tree.structure(other)
    for a, b in zip(*map(jax.tree.leaves, (one, other)), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def the_line(call) -> str:
    """The message of the error for the user, which must be one line."""
    with pytest.raises(UserError) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def changed(folder: pathlib.Path, **changes) -> pathlib.Path:
    """The folder with another `config.json`; None leaves a key out."""
    settings = json.loads((folder / "config.json").read_text()) | changes
    kept = {key: value for key, value in settings.items() if key not in changes or value is not None}
    (folder / "config.json").write_text(json.dumps(kept))
    return folder


def test_a_model_that_the_lab_writes_is_read_back(tmp_path):
    model = random_model()
    save(tmp_path / "new", model)
    again = load(tmp_path / "new")
    same(again.params, model.params)
    assert again.arch == model.arch
    written = json.loads((tmp_path / "new" / "config.json").read_text())
    assert written["architectures"] == ["LlamaForCausalLM"]
    assert written["dtype"] == "float32"


def test_a_tied_model_that_the_lab_writes_is_read_back(tmp_path):
    model = random_model(tie_word_embeddings=True, attention_bias=True)
    save(tmp_path, model)
    same(load(tmp_path).params, model.params)


def test_only_llamas_are_written(tmp_path):
    assert "model_type=gpt2: only models of the type llama" in the_line(lambda: save(tmp_path, loaded("gpt2")))


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


def test_missing_files(folder, tmp_path):
    assert "no such folder" in the_line(lambda: load(tmp_path / "nowhere"))
    (folder / "model.safetensors").unlink()
    assert the_line(lambda: load(folder)) == f"{folder}: has no model.safetensors"
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


def test_an_index_that_is_none(folder):
    (folder / "model.safetensors.index.json").write_text('{"weight_map": 3}')
    assert "model.safetensors.index.json: has no weight_map" in the_line(lambda: load(folder))


def test_a_weight_of_another_shape(folder):
    assert "transformer.wpe.weight has the shape (48, 24), which config.json contradicts" in the_line(
        lambda: load(changed(folder, n_positions=64))
    )


CONFIGS = {  # case, changes: what the line says
    "family": ("gpt2", {"model_type": "gpt1"}, 'model_type="gpt1" is not supported; allowed: bloom,'),
    "none": ("gpt2", {"model_type": None}, "config.json: has no model_type"),
    "missing": ("gpt2", {"n_layer": None}, "config.json: has no n_layer"),
    "number": ("gpt2", {"n_layer": "3"}, 'config.json: n_layer must be a positive whole number, and is "3"'),
    "heads": ("gpt2", {"n_head": 5}, "config.json: 5 heads do not divide the width 24"),
    "groups": ("llama", {"num_key_value_heads": 4}, "config.json: 4 groups do not divide 6 heads"),
    "cross": ("gpt2", {"add_cross_attention": True}, "config.json: add_cross_attention=true is not supported"),
    "activation": ("gpt2", {"activation_function": "mish"}, "config.json: the activation mish is not supported"),
    "quantised": ("opt", {"quantization_config": {"bits": 4}}, "config.json: quantization_config: quantised weights"),
    "affine": ("opt", {"layer_norm_elementwise_affine": False}, "layer_norm_elementwise_affine=false is not supported"),
    "residual": ("bloom", {"apply_residual_connection_post_layernorm": True}, "=true is not supported"),
    "layers": ("gpt_neo", {"attention_layers": None, "attention_types": [[["global"], 2]]}, "for each of 3 layers"),
    "rope": ("qwen2", {"rope_parameters": {"rope_type": "yarn", "factor": 2.0}}, "rope_type=yarn is not supported; "),
    "factor": ("qwen2", {"rope_parameters": {"rope_type": "linear"}}, "rope_type=linear has no factor"),
    "partial": ("qwen2", {"rope_parameters": {"partial_rotary_factor": 0.5}}, "partial_rotary_factor=0.5 is not supp"),
    "text": ("qwen2", {"rope_parameters": {"rope_theta": "large"}}, "config.json: is not understood as qwen2's (could"),
    "list": ("llama", {"rope_parameters": [1]}, "config.json: is not understood as llama's ("),
    "sliding": ("qwen2", {"use_sliding_window": True}, "config.json: use_sliding_window=true is not supported"),
    "mixed": ("qwen3", {"layer_types": ["sliding_attention"] * 3}, "layer_types: layers with a window"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "text"), CONFIGS.values(), ids=CONFIGS)
def test_a_config_that_is_not_understood(name, changes, text, tmp_path):
    folder = write(tmp_path, config(name), tensors(golden(name)))
    assert text in the_line(lambda: load(changed(folder, **changes)))


def test_not_enough_memory(folder, monkeypatch):
    """The golden GPT-2 has 26,160 weights."""
    weights = sum(leaf.size for leaf in jax.tree.leaves(loaded("gpt2").params))
    monkeypatch.setattr(module, "free_bytes", lambda: 3 * weights)
    assert "GB are free; lm.dtype=bfloat16 halves them" in the_line(lambda: load(folder))
    assert load(folder, "bfloat16").params["embed"].dtype == ml_dtypes.bfloat16
    monkeypatch.setattr(module, "free_bytes", lambda: 4 * weights)
    load(folder)


def test_an_unknown_type(folder):
    assert the_line(lambda: load(folder, "float16")) == "lm.dtype=float16: allowed: bfloat16, float32"


def test_older_names_of_rotary_settings(tmp_path):
    """Files of `transformers` 4 have `rope_theta` and `rope_scaling`, and a `type` instead of a `rope_type`."""
    settings = config("llama_tied")
    rope = settings.pop("rope_parameters")
    older = settings | {"rope_theta": rope["rope_theta"], "rope_scaling": {"type": "linear", "factor": rope["factor"]}}
    again = load(write(tmp_path, older, tensors(golden("llama_tied"))))
    assert again.arch == loaded("llama_tied").arch
    older["rope_theta"] = 99.0
    assert load(write(tmp_path, older, tensors(golden("llama_tied")))).arch != again.arch
