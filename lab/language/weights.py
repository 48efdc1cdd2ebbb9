"""Reads a pretrained model from a folder as its publishers lay it out, and writes a folder of the lab's own model."""

import dataclasses
import json
import math
import os
import pathlib
import re
from collections.abc import Callable

import jax
import ml_dtypes
import numpy as np
from jax.sharding import Mesh

from lab.config.language import SINGLE
from lab.errors import ConfigError, UserError, printable, short
from lab.language.arch import Arch
from lab.language.families import arch_of
from lab.language.files import Tensors, read_json
from lab.language.gguf_file import Gguf, is_gguf
from lab.language.model import ACTIVATIONS, LanguageModel, Params
from lab.language.names import NAMES, Place
from lab.language.shapes import Shape, layer_shapes, num_parameters, shapes, sharding
from lab.language.tokens import Tokenizer
from lab.runs.memory import memory_to_divide

DTYPES = {"float32": np.dtype(np.float32), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
BUFFERS = re.compile(r"\b(attn|attention)\.(masked_)?bias$|\.inv_freq$|\.embed_positions$")  # what is no weight
Note = Callable[[str], object]


def load(
    folder: str | pathlib.Path, dtype: str = "float32", mesh: Mesh | None = None, note: Note = lambda line: None
) -> LanguageModel:
    """Return the model of a folder with `config.json` and `model.safetensors`, or shards of it, or of a GGUF file.

    Args:
        folder: or a file whose name ends in `.gguf`.
        dtype: of weights and tokens, float32 or bfloat16; the file's may be another one.
        mesh: devices that share the weights; None: the first one has them.
        note: takes remarks on weights that `config.json` does not lead one to expect.

    Raises:
        UserError: a file is missing or damaged, a weight is missing, not finite or has another shape than
            `config.json` says, the architecture is not supported, or the weights need more memory than there is.
    """
    folder = pathlib.Path(os.path.expanduser(folder))
    if dtype not in DTYPES:
        raise ConfigError(f"lm.dtype={dtype}: allowed: {', '.join(sorted(DTYPES))}")
    if not os.path.exists(folder) or not (os.path.isdir(folder) or is_gguf(folder)):  # also for a name of any length
        raise UserError(f"{short(printable(str(folder)))}: no such folder; a model's has config.json and {SINGLE}")
    file = Gguf(folder) if is_gguf(folder) else None
    arch = file.arch() if file else arch_of(read_json(folder / "config.json"))
    if arch.activation not in ACTIVATIONS:
        raise ConfigError(f"config.json: the activation {short(printable(arch.activation))} is not supported")
    _check_memory(arch, DTYPES[dtype], folder, mesh)
    reader = _Reader(arch, file or Tensors(folder), folder)
    if arch.tied and reader.has_its_own_head():
        note(f"{folder}: the weights have a head of their own, which is used; config.json says that they have none")
        arch = reader.arch = dataclasses.replace(arch, tied=False)
        _check_memory(arch, DTYPES[dtype], folder, mesh)
    _refuse_other_biases(arch, reader.tensors, folder)
    model = LanguageModel(arch, reader.params(DTYPES[dtype], mesh))
    if file and file.quantised:
        note(f"{folder}: the weights are those of a quantised file ({', '.join(file.quantised)}), as {dtype}")
    if unused := reader.unused():
        first = short(printable(unused[0]))
        note(f"{folder}: weights that config.json does not lead to are not used: {len(unused)}, such as {first}")
    return model


def save(folder: str | pathlib.Path, model: LanguageModel, tokenizer: Tokenizer | None = None) -> None:
    """Write a folder that `load` and other programs read: `config.json`, `model.safetensors` and `tokenizer.json`.

    Raises:
        ConfigError: the model's family is not Llama, which is the one that the lab writes.
    """
    from safetensors.numpy import save_file

    arch, folder = model.arch, pathlib.Path(folder)
    if arch.family != "llama":
        raise ConfigError(f"model_type={arch.family}: only models of the type llama are written")
    names, tensors = NAMES[arch.family], {}
    for name in shapes(arch):
        place = names.outside[_stem(name)]
        prefix = "" if _stem(name) == "head" else names.prefixes[0]
        tensors[prefix + _file_name(place, name)] = np.asarray(model.params[name])
    for name in layer_shapes(arch):
        place = names.layer[_stem(name)]
        for layer, array in enumerate(np.asarray(model.params["layers"][name])):
            file_name = names.prefixes[0] + _file_name(place, name).format(layer)
            tensors[file_name] = np.ascontiguousarray(array.T if place.turned else array)
    folder.mkdir(parents=True, exist_ok=True)
    kind = {"architectures": ["LlamaForCausalLM"], "dtype": str(model.params["embed"].dtype)}
    kind |= {} if arch.tied else {"tie_word_embeddings": False}  # also where the folder it came from says otherwise
    config = json.dumps(json.loads(arch.config) | kind, indent=2, sort_keys=True)
    (folder / "config.json").write_text(config + "\n", encoding="utf-8")
    save_file(tensors, folder / SINGLE, metadata={"format": "pt"})
    if tokenizer is not None:
        tokenizer.save(folder)


class _Reader:
    """Reads the arrays of a folder, and knows which it has read.

    Args:
        arch: of the model; its `tied` may change before the arrays are read.
    """

    def __init__(self, arch: Arch, tensors: Tensors, folder: pathlib.Path):
        self.arch, self.tensors, self.folder = arch, tensors, folder
        self.names, self.used = NAMES[arch.family], set[str]()

    def has_its_own_head(self) -> bool:
        """Return whether the folder has both tables, words and head, and they differ."""
        head, embed = self._head("head"), self._present([_file_name(self.names.outside["embed"], "embed")])
        if head is None or embed is None:
            return False
        self.used.add(head)
        whole = self.tensors.shape(embed)
        if whole != (self.arch.vocabulary, self.arch.embed_width):  # it is refused when it is read
            return False
        return self.tensors.shape(head) != whole or not np.array_equal(self.tensors[head], self.tensors[embed])

    def params(self, dtype: np.dtype, mesh: Mesh | None) -> Params:
        """Return the model's weights."""
        arch, params = self.arch, Params(layers={})
        for name, shape in shapes(arch).items():
            table = self._array(self.names.outside[_stem(name)], name, shape, dtype)
            params[name] = jax.device_put(table, sharding(mesh, arch, name, table.ndim))
        for name, shape in layer_shapes(arch).items():
            stacked = np.empty((arch.layers, *shape), dtype)
            for layer in range(arch.layers):
                stacked[layer] = self._array(self.names.layer[_stem(name)], name, shape, dtype, layer)
            params["layers"][name] = jax.device_put(stacked, sharding(mesh, arch, name, stacked.ndim))
        return params

    def unused(self) -> list[str]:
        """Return the names of weights that were not read, without tables that older files hold beside weights."""
        return sorted(name for name in self.tensors.where.keys() - self.used if not BUFFERS.search(name))

    def _array(self, place: Place, name: str, shape: Shape, dtype: np.dtype, layer: int | None = None) -> np.ndarray:
        file_name = self._find(place, name, layer)
        self.used.add(file_name)
        of_file = self.tensors.shape(file_name)
        has_room = math.prod(of_file) == math.prod(shape) * (1 if place.part is None else 3)  # before it is read
        result = place.cut(self.tensors[file_name], self.arch).astype(dtype) if has_room else None
        if result is None or result.shape != shape:
            raise UserError(f"{self.folder}: {file_name} has the shape {of_file}, which config.json contradicts")
        if not np.isfinite(result).all():
            raise UserError(f"{self.folder}: {file_name} has values that are not finite numbers; copy it again")
        return result

    def _find(self, place: Place, name: str, layer: int | None) -> str:
        """Return the file's name of an array, or refuse."""
        wanted = _file_name(place, name).format(layer)
        full = self._present([wanted])
        if full is None and (_stem(name) == "head" or (name == "embed" and self.arch.tied)):
            full = self._head(name)  # tied tables may be stored under either name
        if full is None:
            prefix = self.names.prefixes[0]
            raise UserError(f"{self.folder}: has no weight {wanted}, with or without {prefix!r} in front of it")
        return full

    def _head(self, name: str) -> str | None:
        """Return the file's name of the head, or its bias: a later `transformers` wrote GPT-NeoX's as `lm_head`."""
        return self._present([_file_name(place, name) for place in (self.names.outside["head"], Place("lm_head"))])

    def _present(self, wanted: list[str]) -> str | None:
        names = (prefix + each for each in wanted for prefix in (*self.names.prefixes, ""))
        return next((name for name in names if name in self.tensors), None)


def _refuse_other_biases(arch: Arch, tensors: Tensors, folder: pathlib.Path) -> None:
    """Refuse biases that the forward pass would leave out: `config.json` says that the model has none there."""
    names, used = NAMES[arch.family], layer_shapes(arch)
    for name in used.keys() & names.layer.keys():
        bias = _file_name(names.layer[name], f"{name}_bias").format(0)
        present = [prefix + bias for prefix in (*names.prefixes, "") if prefix + bias in tensors]
        if present and f"{name}_bias" not in used:
            raise UserError(f"{folder}: has {present[0]}, and config.json says that the model has no such bias")


def _check_memory(arch: Arch, dtype: np.dtype, folder: pathlib.Path, mesh: Mesh | None) -> None:
    needed, free = num_parameters(arch) * dtype.itemsize, memory_to_divide()
    if mesh is not None and jax.default_backend() != "cpu":  # the devices of a CPU share its memory
        free *= mesh.size
    if needed > free:
        advice = "lm.dtype=bfloat16 halves them" if dtype.itemsize == 4 else "a smaller model is needed"
        raise UserError(f"{folder}: the weights take {needed / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free; {advice}")


def _stem(name: str) -> str:
    return name.removesuffix("_bias")


def _file_name(place: Place, name: str) -> str:
    return f"{place.name}.{'bias' if name.endswith('_bias') else 'weight'}"
