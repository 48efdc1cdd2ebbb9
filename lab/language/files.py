"""The files of a model's folder: `config.json`, and weights in one `safetensors` file or in shards with an index.

Nothing is unpickled: a folder with `pytorch_model.bin` alone is refused, with the lines that convert it. Of a single
file and an index the file is read, as `transformers` does.
"""

import json
import pathlib
from typing import Any

import numpy as np

from lab.config.language import EXTRA, INDEX, SINGLE, check_file, largest_weights
from lab.errors import UserError, printable

FLOATS = {"F64", "F32", "F16", "BF16"}  # the types of weights, by the names of `safetensors`
CONVERT = (
    "python -c \"from transformers import AutoModelForCausalLM as M; M.from_pretrained('{0}').save_pretrained('{0}')\""
)


class Tensors:
    """The arrays of a folder's weights, read one by one when they are asked for.

    Raises:
        UserError: the folder has no weights in `safetensors` files, one of these is missing or damaged, or the package
            that reads them is not installed.
    """

    def __init__(self, folder: pathlib.Path):
        try:
            from safetensors import SafetensorError, safe_open
        except ImportError as error:
            raise UserError(f"language models need safetensors: {EXTRA}") from error

        self.where: dict[str, Any] = {}
        for path in _files(folder):
            check_file(path, largest_weights())
            try:
                opened = safe_open(path, framework="numpy")
                self.where |= dict.fromkeys(opened.keys(), opened)
            except (SafetensorError, OSError) as error:
                raise UserError(f"{path}: damaged or cut off; copy it again ({printable(str(error))})") from error

    def __contains__(self, name: str) -> bool:
        return name in self.where

    def __getitem__(self, name: str) -> np.ndarray:
        """Return an array.

        Raises:
            UserError: its type is none of FLOATS.
        """
        if (kind := self.where[name].get_slice(name).get_dtype()) not in FLOATS:
            raise UserError(f"{name} has the type {kind}: quantised weights are not supported; use the original ones")
        return self.where[name].get_tensor(name)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array, without reading it."""
        return tuple(self.where[name].get_slice(name).get_shape())


def read_json(path: pathlib.Path) -> dict[str, Any]:
    """Return the contents of a JSON file that holds an object.

    Raises:
        UserError: it is missing, or is no such file.
    """
    check_file(path)
    try:
        contents = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); a model's folder has such a file") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: is no JSON ({printable(str(error))})") from error
    if not isinstance(contents, dict):
        raise UserError(f"{path}: must hold an object, {{...}}")
    return contents


def _files(folder: pathlib.Path) -> list[pathlib.Path]:
    if (folder / SINGLE).exists():
        return [folder / SINGLE]
    if (folder / INDEX).exists():
        places = read_json(folder / INDEX).get("weight_map")
        if not isinstance(places, dict) or not places:
            raise UserError(f"{folder / INDEX}: has no weight_map")
        paths = [folder / pathlib.PurePath(name).name for name in sorted({*map(str, places.values())})]
        missing = [path.name for path in paths if not path.exists()]
        if missing:
            raise UserError(f"{folder}: {INDEX} names {printable(missing[0])}, which is not there")
        return paths
    if any(folder.glob("pytorch_model*.bin")):
        advice = CONVERT.format(printable(str(folder)))
        raise UserError(f"{folder}: has pytorch_model.bin alone, which can hold any program; convert it once: {advice}")
    raise UserError(f"{folder}: has no {SINGLE}")
