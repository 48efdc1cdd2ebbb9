"""Files of a folder that cannot be read as such, and what a `config.json` says: one clear line for each that is not
understood, before anything is allocated; none blocks or fills the memory."""

import os
import pathlib

import pytest

from lab.language.tokens import Tokenizer
from lab.language.weights import load
from tests.lab.language.folders import changed, config, golden, sharded, tensors, the_line, write


@pytest.fixture
def folder(tmp_path):
    """A folder of the golden GPT-2."""
    return write(tmp_path, config("gpt2"), tensors(golden("gpt2")))


def pipe(path: pathlib.Path) -> None:
    path.unlink()
    os.mkfifo(path)


def empty_folder(path: pathlib.Path) -> None:
    path.unlink()
    path.mkdir()


def sparse(path: pathlib.Path) -> None:
    os.truncate(path, 2**42)


def pointer(path: pathlib.Path) -> None:
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")


def deep(path: pathlib.Path) -> None:
    path.write_text("[" * 100_000 + "]" * 100_000)


HOSTILE = {
    "pipe": (pipe, "is no regular file"),
    "folder": (empty_folder, "is no regular file"),
    "sparse": (sparse, "has 4,398.0 GB, and at most"),
    "pointer": (pointer, "is a pointer of Git LFS and not the file; `git lfs pull` in its folder fetches it"),
    "deep": (deep, "is no JSON (maximum recursion depth exceeded"),
}


@pytest.mark.parametrize("change", HOSTILE)
@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "index", "tokenizer.json", "vocab.json"])
def test_only_regular_files_of_some_size_are_opened(name, change, folder):
    spoil, text = HOSTILE[change]
    if name == "index":
        sharded(folder, tensors(golden("gpt2")))
        name = "model.safetensors.index.json"
    for file in {name, "merges.txt"} if name == "vocab.json" else {name}:
        (folder / file).open("a").close()
    spoil(folder / name)
    if change == "deep" and name in ("model.safetensors", "vocab.json"):  # no JSON, or read by another package
        text = ""
    read = Tokenizer if name in ("tokenizer.json", "vocab.json") else load
    assert text in the_line(lambda: read(folder))


def test_the_name_of_a_folder_may_have_any_length():
    assert "no such folder" in the_line(lambda: load("x" * 5000))
    assert len(the_line(lambda: load("x" * 5000))) < 300


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
    "text": ("qwen2", {"rope_parameters": {"rope_theta": "large"}}, 'rope_theta must be a positive number, and is "l'),
    "list": ("llama", {"rope_parameters": [1]}, "config.json: is not understood as llama's ("),
    "sliding": ("qwen2", {"use_sliding_window": True}, "config.json: use_sliding_window=true is not supported"),
    "mixed": ("qwen3", {"layer_types": ["sliding_attention"] * 3}, "layer_types: layers with a window"),
    "kinds": ("mistral", {"layer_types": ["full_attention"] * 2}, "full_attention for each of 3 layers"),
    "kind": ("mistral", {"layer_types": ["wide", "full_attention", "full_attention"]}, "for each of 3 layers"),
    "list of families": ("gpt2", {"model_type": []}, "model_type=[] is not supported"),
    "bool": ("llama", {"num_hidden_layers": True}, "num_hidden_layers must be a positive whole number, and is true"),
    "no bool": ("llama", {"attention_bias": "false"}, 'attention_bias must be true or false, and is "false"'),
    "no text": ("llama", {"hidden_act": ["silu"]}, 'hidden_act must be a text, and is ["silu"]'),
    "epsilon": ("llama", {"rms_norm_eps": -1e-6}, "rms_norm_eps must be a positive number, and is -1e-06"),
    "epsilon text": ("gpt2", {"layer_norm_epsilon": "1e-5"}, 'layer_norm_epsilon must be a positive number, and is "'),
    "epsilon bool": ("gpt_neox", {"layer_norm_eps": True}, "layer_norm_eps must be a positive number, and is true"),
    "theta": ("llama", {"rope_parameters": {"rope_theta": 0}}, "rope_theta must be a positive number, and is 0"),
    "older theta": ("llama", {"rope_parameters": None, "rope_theta": -1e4}, "theta must be a positive number"),
    "nan": ("llama", {"rope_parameters": {"rope_theta": float("nan")}}, "must be a positive number, and is NaN"),
    "infinity": ("llama", {"rope_parameters": {"rope_theta": float("inf")}}, "be a positive number, and is Infinity"),
    "large": ("llama", {"rope_parameters": {"rope_theta": 10**400}}, "rope_theta must be a positive number, and is 10"),
    "zero": ("qwen2", {"rope_parameters": {"rope_type": "linear", "factor": 0}}, "factor must be a positive number"),
    "bands": ("qwen2", {"rope_parameters": {"rope_type": "llama3", "factor": 2, "low_freq_factor": 2,
                                            "high_freq_factor": 2, "original_max_position_embeddings": 8}}, "be below"),
    "odd": ("gpt_neox", {"rope_parameters": None, "rotary_pct": 0.2}, "rotary_pct: 3 of a head's 16 coordinates"),
    "no plane": ("gpt_neox", {"rope_parameters": None, "rotary_pct": 0.01}, "rotary_pct: 0 of a head's 16 coordinates"),
    "wide": ("gpt_neox", {"rope_parameters": None, "rotary_pct": 1.25}, "rotary_pct: 20 of a head's 16 coordinates"),
    "odd GPT-J": ("gptj", {"rotary_dim": 3}, "rotary_dim: 3 of a head's 8 coordinates would turn; an even number can"),
    "wide GPT-J": ("gptj", {"rotary_dim": 10}, "rotary_dim: 10 of a head's 8 coordinates would turn"),
    "odd head": ("llama", {"head_dim": 5}, "head_dim: 5 of a head's 5 coordinates would turn"),
    "many layers": ("llama", {"num_hidden_layers": 10**12}, "num_hidden_layers must be at most 1,048,576, and is 1"),
    "many blocks": ("gpt_neo", {"attention_layers": None, "attention_types": [[["global"], 10**12]]}, "of 3 layers"),
    "many heads": ("bloom", {"n_head": 10**9, "hidden_size": 10**9}, "must be at most 1,048,576, and is 1000000000"),
    "wide model": ("opt", {"hidden_size": 10**9}, "hidden_size must be at most 1,048,576, and is 1000000000"),
    "wide head": ("qwen3", {"head_dim": 10**10}, "head_dim must be at most 1,048,576, and is 10000000000"),
    "many words": ("gpt2", {"vocab_size": 10**9}, "vocab_size must be at most 268,435,456, and is 1000000000"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "text"), CONFIGS.values(), ids=CONFIGS)
def test_a_config_that_is_not_understood(name, changes, text, tmp_path):
    folder = write(tmp_path, config(name), tensors(golden(name)))
    assert text in the_line(lambda: load(changed(folder, **changes)))
