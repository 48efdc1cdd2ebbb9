"""`use=my_tasks.py`: a Python file (or module) of the user's own, imported before anything is composed.

The file adds rows to the lab's tables: `tasks.catalogue.register`, `lab.learners.roles.register`,
`trainers.experiment.register`, `analysis.figures.register`.
"""

import importlib
import importlib.util
import pathlib
import sys
import traceback

from lab.config.points import parse
from lab.errors import ConfigError


def import_own_code(words: list[str]) -> None:
    """Import what the last `use=` of a command line names; nothing without one. A second call does nothing.

    Raises:
        ConfigError: there is no such file or module, or its own code fails, with file and line.
    """
    chosen = [str(override.value()) for override in parse([word for word in words if word.startswith("use=")])]
    if not chosen or not chosen[-1].strip("'\""):
        return
    name = chosen[-1].strip("'\"")
    try:
        _import(name)
    except ConfigError as error:
        raise ConfigError(f"use={name}: {error}") from error
    except Exception as error:
        raise ConfigError(f"use={name}: {_where(error)}{type(error).__name__}: {error}") from error


def _import(name: str) -> None:
    path = pathlib.Path(name)
    if path.suffix != ".py":
        if importlib.util.find_spec(name) is None:
            raise ConfigError("no such file (it ends in .py) and no such module")
        importlib.import_module(name)
        return
    if not path.is_file():
        raise ConfigError("no such file")
    module_name = f"own_{path.stem}"
    if module_name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(module_name, path)
    sys.modules[module_name] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise


def _where(error: Exception) -> str:
    """The file and line of the user's own code in which it failed."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}, line {error.lineno}: "
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    own = [frame for frame in frames if "importlib" not in frame.filename]
    return f"{own[0].filename}, line {own[0].lineno}: " if own else ""
