"""A model in one GGUF file (github.com/ggml-org/ggml, docs/gguf.md), which the package `gguf` reads.

The file becomes what a folder of the hub has: a `config.json`, arrays under the hub's names and in its layout, and a
tokenizer. An array is dequantised when it is asked for.
"""

import dataclasses
import functools
import pathlib
from typing import Any

import numpy as np

from lab.config.language import EXTRA, GGUF, LARGEST, check_file, largest_weights
from lab.errors import ConfigError, UserError, printable, short
from lab.language.arch import Arch, shown
from lab.language.families import arch_of
from lab.language.files import Tensors
from lab.language.names import NAMES

READS = 2**22  # pieces of metadata: twice as many as the largest vocabularies have
FAMILIES = {name: name for name in ("bloom", "gpt2", "llama", "qwen2", "qwen3")} | {"gptneox": "gpt_neox"}
KEYS = {  # of the metadata, behind the architecture's name: names of a config.json, of whatever family
    "embedding_length": ("hidden_size", "n_embd"),
    "block_count": ("num_hidden_layers", "n_layer"),
    "feed_forward_length": ("intermediate_size", "n_inner"),
    "context_length": ("max_position_embeddings", "n_positions"),
    "attention.head_count": ("num_attention_heads", "n_head"),
    "attention.head_count_kv": ("num_key_value_heads",),
    "attention.key_length": ("head_dim",),
    "attention.layer_norm_rms_epsilon": ("rms_norm_eps",),
    "attention.layer_norm_epsilon": ("layer_norm_epsilon", "layer_norm_eps"),
    "rope.freq_base": ("rope_theta", "rotary_emb_base"),
    "use_parallel_residual": ("use_parallel_residual",),
}
REFUSED = ("expert_count", "attention.sliding_window")  # what the forward pass of these families lacks
DIMENSIONS = 4  # of an array, at most: a number of ggml
FLOATS = {"F32", "F16", "BF16"}  # types that are not quantised


def is_gguf(path: pathlib.Path) -> bool:
    """Return whether a path stands for such a file, and not for a folder."""
    return path.suffix == GGUF and not path.is_dir()


class Gguf(Tensors):
    """The arrays of a GGUF file by the hub's names, each read when it is asked for, and what else a folder has.

    Raises:
        UserError: the file is missing, damaged or too large, it has another architecture, or the package that reads it
            is not installed.
    """

    def __init__(self, path: pathlib.Path):
        check_file(path, largest_weights())
        self.path = path
        status = path.stat()
        reader = _opened(path, status.st_size, status.st_mtime_ns)
        try:
            self.fields = reader.fields
            tensors = {tensor.name: tensor for tensor in reader.tensors}
            self.config = self._config(tensors)
            self.factors = tensors.pop("rope_freqs.weight", None)
            self.where = _by_names_of_the_hub(self.config, self.value("general.architecture"), tensors)
        except UserError:
            raise
        except Exception as error:  # metadata of another form
            raise _damaged(path, error) from error
        self.quantised = sorted({tensor.tensor_type.name for tensor in tensors.values()} - FLOATS)

    def value(self, key: str, default: Any = None) -> Any:
        """Return an entry of the metadata."""
        return self.fields[key].contents() if key in self.fields else default

    def shape(self, name: str) -> tuple[int, ...]:
        return tuple(int(length) for length in reversed(self.where[name].shape))

    def __getitem__(self, name: str) -> np.ndarray:
        """Return an array in the hub's layout.

        Raises:
            UserError: its type is not supported, or it has another shape than such weights have.
        """
        try:
            return self._in_layout(name)
        except ValueError as error:
            raise UserError(f"{self.path}: {printable(name)} has the shape {self.shape(name)}") from error

    def _in_layout(self, name: str) -> np.ndarray:
        array, family = self._dequantised(name, self.where[name]), self.config["model_type"]
        if family == "llama" and ("q_proj" in name or "k_proj" in name):  # rows of a head as its planes' two halves
            heads = self.config["num_attention_heads"]
            heads = self.config.get("num_key_value_heads", heads) if "k_proj" in name else heads
            planes = len(array) // heads // 2
            return array.reshape(heads, planes, 2, -1).swapaxes(1, 2).reshape(array.shape)
        if "query_key_value" in name:  # queries, keys and values one behind another; the hub's alternate by heads
            heads = self.config["num_attention_heads"]
            return array.reshape(3, heads, len(array) // heads // 3, -1).swapaxes(0, 1).reshape(array.shape)
        return array.T if family == "gpt2" and ".h." in name else array

    def arch(self) -> Arch:
        """Return the architecture.

        Raises:
            ConfigError: a switch or a number is not supported.
        """
        try:
            arch = arch_of(self.config)
        except ConfigError as error:
            raise ConfigError(str(error).replace("config.json", printable(str(self.path)), 1)) from error
        if self.factors is None:
            return arch
        wrong = ConfigError(f"{self.path}: rope_freqs.weight must hold {len(arch.frequencies)} positive numbers")
        if [int(length) for length in self.factors.shape] != [len(arch.frequencies)]:  # before it takes memory
            raise wrong
        factors = self._dequantised("rope_freqs.weight", self.factors)
        if not ((factors > 0) & np.isfinite(factors)).all():
            raise wrong
        divided = tuple(f / float(factor) for f, factor in zip(arch.frequencies, factors, strict=True))
        return dataclasses.replace(arch, frequencies=divided)

    def _config(self, tensors: dict[str, Any]) -> dict[str, Any]:
        kind = self.value("general.architecture")
        if not isinstance(kind, str) or kind not in FAMILIES:
            allowed = ", ".join(sorted(FAMILIES))
            raise ConfigError(f"{self.path}: general.architecture={shown(kind)} is not supported; allowed: {allowed}")
        for name in REFUSED:
            if entry := self.value(f"{kind}.{name}"):
                raise ConfigError(f"{self.path}: {kind}.{name}={shown(entry)} is not supported")
        config: dict[str, Any] = {"model_type": FAMILIES[kind], "tie_word_embeddings": "output.weight" not in tensors}
        if "token_embd.weight" in tensors:
            config["vocab_size"] = int(tensors["token_embd.weight"].shape[-1])
        for key, names in KEYS.items():
            if (entry := self.value(f"{kind}.{key}")) is not None:
                config |= dict.fromkeys(names, entry)
        if kind == "llama":
            config |= {"attention_bias": "blk.0.attn_q.bias" in tensors, "mlp_bias": "blk.0.ffn_up.bias" in tensors}
        if (turning := self.value(f"{kind}.rope.dimension_count")) is not None:
            share = turning / config.get("head_dim", config["hidden_size"] / config["num_attention_heads"])
            config |= dict.fromkeys(("rotary_pct", "partial_rotary_factor"), share)
        if (scaling := self.value(f"{kind}.rope.scaling.type", "none")) != "none":
            config["rope_scaling"] = {"type": scaling, "factor": self.value(f"{kind}.rope.scaling.factor")}
        return config | {"eos_token_id": self.value("tokenizer.ggml.eos_token_id")}

    def _dequantised(self, name: str, tensor: Any) -> np.ndarray:
        from gguf.quants import dequantize  # pyright: ignore[reportMissingImports]

        try:
            return dequantize(tensor.data, tensor.tensor_type)
        except NotImplementedError as error:
            raise UserError(f"{self.path}: {name} has the type {tensor.tensor_type.name}, which is not read") from error


def _by_names_of_the_hub(config: dict[str, Any], kind: str, tensors: dict[str, Any]) -> dict[str, Any]:
    """Return arrays by the names that a folder of the hub has for them; others keep their own."""
    from gguf import MODEL_ARCH_NAMES, get_tensor_name_map  # pyright: ignore[reportMissingImports]

    layers, family = config.get("num_hidden_layers"), NAMES[config["model_type"]]
    if not isinstance(layers, int) or not 0 < layers <= len(tensors):  # before a table of them is made
        raise ValueError(f"{kind}.block_count={layers!r}, and {len(tensors)} weights")
    table = get_tensor_name_map(next(arch for arch, name in MODEL_ARCH_NAMES.items() if name == kind), layers)
    places = {place.name for place in family.outside.values()}
    places |= {place.name.format(layer) for place in family.layer.values() for layer in range(layers)}
    of_hub, left = {}, dict(tensors)
    for place in places:
        own = table.get_name(family.prefixes[0] + place) or table.get_name(place)
        for end in (".weight", ".bias"):
            if own is not None and (tensor := left.pop(own + end, None)) is not None:
                of_hub[family.prefixes[0] + place + end] = tensor
    return of_hub | left


@functools.lru_cache(maxsize=1)  # of weights, and of the tokenizer
def _opened(path: pathlib.Path, size: int, changed: int) -> Any:
    """Return the package's reader of a file in this state, whose arrays are views of it.

    Raises:
        UserError: the file is none, is damaged, or the package is not installed.
    """
    try:
        from gguf import GGUFReader  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise UserError(f"{path}: GGUF files need gguf: {EXTRA}") from error

    class Bounded(GGUFReader):
        """A reader that looks at nothing beyond the file, and takes no more metadata than has room in memory."""

        reads = 0

        def _get(self, offset, dtype, count=1, override_order=None):
            end, self.reads = offset + np.dtype(dtype).itemsize * int(count), self.reads + 1
            if dtype is np.uint64 and int(count) > DIMENSIONS:
                raise ValueError(f"an array has {int(count):,} dimensions")
            if self.byte_order != "I":
                raise ValueError("it has the other order of bytes")
            if end > self.data.size:
                raise ValueError(f"it ends at byte {self.data.size:,}, before its contents")
            if self.reads > READS:
                raise ValueError(f"it has more than {READS:,} pieces of metadata")
            return self.data.view(np.ndarray)[offset:end].view(dtype)  # a plain array's views are five times as fast

        def _get_str(self, offset):
            length, text = super()._get_str(offset)
            if offset + len(text) > LARGEST:
                raise ValueError(f"its metadata has more than {LARGEST:,} bytes")
            return length, text

    try:
        with np.errstate(over="raise"):
            return Bounded(path)
    except Exception as error:  # the package raises whatever comes of numbers that do not fit
        raise _damaged(path, error) from error


def _damaged(path: pathlib.Path, error: Exception) -> UserError:
    return UserError(f"{path}: no GGUF file that is understood; copy it again ({short(printable(str(error)))})")
