"""Reads a pretrained model from a folder as its publishers lay it out, and writes a folder of the lab's own model."""

import json
import pathlib

import jax
import ml_dtypes
import numpy as np
from jax.sharding import Mesh

from lab.errors import ConfigError, UserError, printable
from lab.language.arch import Arch
from lab.language.families import arch_of
from lab.language.files import WEIGHTS, Tensors, read_json
from lab.language.model import ACTIVATIONS, LanguageModel, Params
from lab.language.names import NAMES, Place
from lab.language.placed import sharding
from lab.language.shapes import Shape, layer_shapes, num_parameters, shapes
from lab.language.tokens import Tokenizer
from lab.runs.memory import free_bytes

DTYPES = {"float32": np.dtype(np.float32), "bfloat16": np.dtype(ml_dtypes.bfloat16)}


def load(folder: str | pathlib.Path, dtype: str = "float32", mesh: Mesh | None = None) -> LanguageModel:
    """Return the model of a folder with `config.json` and `model.safetensors`, or shards of it.

    Args:
        dtype: of weights and tokens, float32 or bfloat16; the file's may be another one.
        mesh: devices that share the weights; None: the first one has them.

    Raises:
        UserError: a file is missing or damaged, a weight is missing or has another shape than `config.json` says, the
            architecture is not supported, or the weights need more memory than there is.
    """
    folder = pathlib.Path(folder).expanduser()
    if dtype not in DTYPES:
        raise ConfigError(f"lm.dtype={dtype}: allowed: {', '.join(sorted(DTYPES))}")
    if not folder.is_dir():
        raise UserError(f"{printable(str(folder))}: no such folder; a model's has config.json and {WEIGHTS}")
    arch = arch_of(read_json(folder / "config.json"))
    if arch.activation not in ACTIVATIONS:
        raise ConfigError(f"config.json: the activation {arch.activation} is not supported")
    tensors = Tensors(folder)
    _check_memory(arch, DTYPES[dtype], folder, mesh)
    return LanguageModel(arch, _read(arch, tensors, DTYPES[dtype], folder, mesh))


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
    config = json.dumps(json.loads(arch.config) | kind, indent=2, sort_keys=True)
    (folder / "config.json").write_text(config + "\n", encoding="utf-8")
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})
    if tokenizer is not None:
        tokenizer.save(folder)


def _read(arch: Arch, tensors: Tensors, dtype: np.dtype, folder: pathlib.Path, mesh: Mesh | None) -> Params:
    names = NAMES[arch.family]

    def find(place: Place, name: str, layer: int | None) -> str:
        """Return the file's name of an array, or refuse."""
        wanted = [_file_name(place, name).format(layer)]
        if name == "embed" and arch.tied:  # such weights may be stored under either name
            wanted.append(_file_name(names.outside["head"], name))
        if _stem(name) == "head" or len(wanted) > 1:  # GPT-NeoX's in a file that a later `transformers` wrote
            wanted.append(_file_name(Place("lm_head"), name))
        for each in wanted:
            for prefix in (*names.prefixes, ""):
                if prefix + each in tensors:
                    return prefix + each
        raise UserError(f"{folder}: has no weight {wanted[0]}, with or without {names.prefixes[0]!r} in front of it")

    def array(place: Place, name: str, shape: Shape, layer: int | None = None) -> np.ndarray:
        file_name = find(place, name, layer)
        whole = tensors[file_name]
        result = place.cut(whole, arch)
        if result.shape != shape:
            raise UserError(f"{folder}: {file_name} has the shape {whole.shape}, which config.json contradicts")
        return result

    params: Params = {"layers": {}}
    for name, shape in shapes(arch).items():
        table = array(names.outside[_stem(name)], name, shape).astype(dtype)
        params[name] = jax.device_put(table, sharding(mesh, arch, name, table.ndim))
    for name, shape in layer_shapes(arch).items():
        stacked = np.empty((arch.layers, *shape), dtype)
        for layer in range(arch.layers):
            stacked[layer] = array(names.layer[_stem(name)], name, shape, layer)
        params["layers"][name] = jax.device_put(stacked, sharding(mesh, arch, name, stacked.ndim))
    return params


def _check_memory(arch: Arch, dtype: np.dtype, folder: pathlib.Path, mesh: Mesh | None) -> None:
    needed, free = num_parameters(arch) * dtype.itemsize, free_bytes()
    if mesh is not None and jax.default_backend() != "cpu":  # the devices of a CPU share its memory
        free *= mesh.size
    if needed > free:
        advice = "lm.dtype=bfloat16 halves them" if dtype.itemsize == 4 else "a smaller model is needed"
        raise UserError(f"{folder}: the weights take {needed / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free; {advice}")


def _stem(name: str) -> str:
    return name.removesuffix("_bias")


def _file_name(place: Place, name: str) -> str:
    return f"{place.name}.{'bias' if name.endswith('_bias') else 'weight'}"
