"""Import of a user's own Python file or module, `use=my_tasks.py`, before any settings are composed.

The file extends the lab, each time by one call:

    tasks.catalogue.register                        a task
    experiments.regression.comparison.own_learners.register    a learner of comparisons
    lab.config.kinds.register                       a kind of experiment
    analysis.figures.register                       a figure
"""

import contextlib
import importlib
import importlib.util
import pathlib
import re
import sys
import traceback
from collections.abc import Iterator, Sequence

from lab.config import user_modules
from lab.config.override import parse
from lab.errors import ConfigError, explain

WORD = re.compile(r"\+{0,2}use=")
_closed = False  # whether importing further files is refused


def import_own_code(words: Sequence[str]) -> str:
    """Import the file or module of the last `use=` of a command line, and return its name; "" if there is none.

    A file that is imported already is not imported again.

    Raises:
        ConfigError: there is no such file or module, or its own code fails; the message names the line.
    """
    overrides = [parse(word) for word in words if WORD.match(word)]
    if any(override.options for override in overrides):
        raise ConfigError("use: one file (or module) for all runs of a command line, not a list of values")
    name = str(overrides[-1].value) if overrides else ""
    if not name:
        return ""
    if _closed and not is_imported(name):
        raise ConfigError(f"use={name}: nothing of it is executed here; give the word yourself")
    origin = _origin(name)
    try:
        with _no_bytecode():
            _import_file(origin) if name.endswith(".py") else importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise ConfigError(f"use={name}{_where(error, origin)}: {_why(error)}") from error
    return name


@contextlib.contextmanager
def closed() -> Iterator[None]:
    """Forbid new imports and downloads in the `with` block: its overrides may come from somebody else's directory.
    `import_own_code` then refuses a file that is not imported yet, with a ConfigError.
    """
    global _closed
    was_closed, _closed = _closed, True
    try:
        yield
    finally:
        _closed = was_closed


def is_closed() -> bool:
    """Return whether new imports and downloads are forbidden (`closed`)."""
    return _closed


def is_imported(name: str) -> bool:
    """Return whether this process has imported the file or module of `use=NAME`; the file may have moved since."""
    return _module(name) in sys.modules


def imported_file(name: str) -> str:
    """Return the file that this process has imported for `use=NAME`; "" if there is none."""
    return getattr(sys.modules.get(_module(name)), "__file__", None) or ""


def _module(name: str) -> str:
    return f"{user_modules.__name__}.{pathlib.Path(name).stem}" if name.endswith(".py") else name


def _origin(name: str) -> pathlib.Path:
    """Return the file that `use=NAME` stands for.

    Raises:
        ConfigError: there is no such file or module, or the file's name has a point in it.
    """
    if name.endswith(".py"):
        path = pathlib.Path(name).resolve()
        if not path.is_file():
            raise ConfigError(f"use={name}: no such file")
        if "." in path.stem:
            raise ConfigError(f"use={name}: the name of the file may have no point but that of .py")
        return path
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        raise ConfigError(f"use={name}: no such module; the name of a file ends in .py")
    return pathlib.Path(spec.origin)


def _import_file(path: pathlib.Path) -> None:
    name = f"{user_modules.__name__}.{path.stem}"
    if name in sys.modules:
        imported = sys.modules[name].__file__
        if imported is None or pathlib.Path(imported).resolve() != path:
            raise ConfigError(f"another file of this name is in use already, {imported}; rename one")
        return
    user_modules.add_folder(str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # the name of the file ends in .py
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise


@contextlib.contextmanager
def _no_bytecode() -> Iterator[None]:
    """Keep Python from writing bytecode into the user's folder."""
    earlier, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = earlier


def _where(error: BaseException, origin: pathlib.Path) -> str:
    """Return the place of a failure: the line of the user's file, or file and line of a module that it imports."""
    if isinstance(error, SyntaxError):
        places = [(error.filename, error.lineno)]
    else:
        frames = traceback.extract_tb(error.__traceback__)
        mine = [frame for frame in frames if pathlib.Path(frame.filename).resolve() == origin]
        places = [(frame.filename, frame.lineno) for frame in mine]
    if not places:
        return ""
    file, line = places[-1]
    in_it = file is not None and pathlib.Path(file).resolve() == origin
    return f", line {line}" if in_it else f", {file}, line {line}"


def _why(error: BaseException) -> str:
    """Return the reason for a failure in one line."""
    if isinstance(error, Exception) and (line := explain(error)) is not None:
        return line
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return ": ".join([type(error).__name__, *text.strip().splitlines()[:1]])
