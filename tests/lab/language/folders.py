"""Folders of models, as the hub lays them out, from the golden files and from random weights."""

import functools
import json
import pathlib
import tempfile
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tokenizers
from safetensors.numpy import save_file

from lab.errors import UserError
from lab.language.families import arch_of
from lab.language.model import LanguageModel
from lab.language.shapes import init_params
from lab.language.weights import load

GOLDEN = pathlib.Path(__file__).parent / "golden"
CASES = sorted(path.stem for path in GOLDEN.glob("*.npz"))
SHARD = "model-0000{}-of-00002.safetensors"
LLAMA = {
    "model_type": "llama", "vocab_size": 61, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64,
}  # fmt: skip


@functools.cache
def golden(name: str) -> dict[str, np.ndarray]:
    """The arrays of a golden file, read once."""
    with np.load(GOLDEN / f"{name}.npz") as arrays:
        return dict(arrays)


def config(name: str) -> dict[str, Any]:
    return json.loads(str(golden(name)["config"]))


def tensors(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights of a golden file, by the names of `transformers`; float16."""
    return {key.removeprefix("weights/"): each for key, each in arrays.items() if key.startswith("weights/")}


def write(folder: pathlib.Path, settings: dict[str, Any], weights: Mapping[str, np.ndarray]) -> pathlib.Path:
    """A folder with a `config.json` and one file of weights."""
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "config.json").write_text(json.dumps(settings))
    save_file({key: np.ascontiguousarray(each) for key, each in weights.items()}, folder / "model.safetensors")
    return folder


def from_arrays(arrays: dict[str, np.ndarray]) -> LanguageModel:
    """The model of a golden file's arrays."""
    with tempfile.TemporaryDirectory() as folder:
        return load(write(pathlib.Path(folder), json.loads(str(arrays["config"])), tensors(arrays)))


@functools.cache
def loaded(name: str) -> LanguageModel:
    """A golden model, loaded once."""
    return from_arrays(golden(name))


def random_model(dtype: str = "float32", **changes) -> LanguageModel:
    """A small Llama whose layers matter: matrices three times as large as those that a training starts with."""
    arch = arch_of(LLAMA | changes)
    params = jax.jit(lambda key: init_params(arch, key, dtype))(jax.random.key(0))
    params["layers"] = {name: each * (1 if name.endswith("norm") else 3) for name, each in params["layers"].items()}
    return LanguageModel(arch, params)


def doubled(model: LanguageModel) -> LanguageModel:
    """The model in double precision; inside `jax.enable_x64`."""
    return jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float64), model)


def sharded(folder: pathlib.Path, arrays: dict[str, np.ndarray]) -> None:
    """Two files of every second weight, and their index."""
    (folder / "model.safetensors").unlink()
    parts = [{name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)[i::2]} for i in (0, 1)]
    for number, part in enumerate(parts, start=1):
        save_file(part, folder / SHARD.format(number))
    places = {name: SHARD.format(number) for number, part in enumerate(parts, start=1) for name in part}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))


def byte_level(texts: list[str], vocab_size: int = 300, special: tuple[str, ...] = ("<pad>", "</s>")) -> Any:
    """A byte-level BPE of the package tokenizers, trained on texts."""
    inner = tokenizers.Tokenizer(tokenizers.models.BPE())
    inner.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=[*special], initial_alphabet=alphabet
    )
    inner.train_from_iterator(texts, trainer)
    return inner


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


def files_of_a_model(settings: Any, folder: pathlib.Path) -> list[str]:
    """The words that give an experiment files in the place of its model and its texts: their names alone count."""
    (folder / "model").mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (folder / "model" / name).write_text("{}")
    names = [name.removeprefix("dai_") for name in getattr(settings, "data_sets", [])]
    for path in [folder / "texts" / name for name in names] or [folder / "texts"]:
        path.mkdir(parents=True)
        for split in ("train", "validation", "test"):
            (path / f"{split}.csv").write_text("text,label\nbad film,0\n")
    return [f"lm.path={folder / 'model'}", f"text.path={folder / 'texts'}"]
