"""Finds the modules that Python files import, by reading the files' text. Nothing is imported.

An import in a docstring's example counts too; at worst this adds a file. Parsing the lab's files in full takes twenty
times as long. A user's own files, which may be written in any way, are parsed.
"""

import ast
import functools
import hashlib
import os
import pathlib
import re
import sys
from collections.abc import Iterator

from lab.config import user_modules

ROOT = pathlib.Path(__file__).parents[2]
LINE = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\((?:#[^\n]*|[^)#])*\)|[^\n#]*)|import[ \t]+([^\n#]+))", re.M
)
COMMENT = re.compile(r"#[^\n]*")
PACKAGES = ("analysis", "experiments", "lab", "tasks", "trainers")  # folders of the lab; ROOT may have other folders
INSTALLED = ("site-packages", "dist-packages")


def imports(text: str) -> set[str]:
    """Return all imports of a Python file: modules, and MODULE.NAME for each name imported from a module."""
    names = set()
    for module, taken_names, whole in LINE.findall(text):
        if module:
            members = _listed(taken_names.strip("()"))
            point = "" if module.endswith(".") else "."
            names |= {module} | {f"{module}{point}{name}" for name in members if name != "*"}
        else:
            names |= _listed(whole)
    return names


def _listed(text: str) -> set[str]:
    """The names of `a, b as c`."""
    return {words[0] for part in COMMENT.sub("", text).split(",") if (words := part.split())}


def every_import(text: str) -> set[str]:
    """Return all imports of a file of any style, by parsing it. `import_module("NAME")` and `__import__` count, too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            point = "" if module.endswith(".") else "."
            names |= {module} | {f"{module}{point}{alias.name}" for alias in node.names if alias.name != "*"}
        elif isinstance(node, ast.Call) and _called(node.func) in ("import_module", "__import__"):
            values = [each.value for each in node.args[:1] if isinstance(each, ast.Constant)]
            names |= {value for value in values if isinstance(value, str)}
    return names


def _called(function: ast.expr) -> str:
    return getattr(function, "attr", "") or getattr(function, "id", "")


def parsed(path: pathlib.Path) -> tuple[str, frozenset[str]]:
    """Return (SHA-256, names that it imports) of a file."""
    status = path.stat()
    return _parsed(path, status.st_mtime_ns, status.st_size)


@functools.cache
def _parsed(path: pathlib.Path, modified: int, size: int) -> tuple[str, frozenset[str]]:
    content = path.read_bytes()
    return hashlib.sha256(content).hexdigest(), frozenset(imports(content.decode("utf-8", "replace")))


def with_neighbours(own_file: pathlib.Path) -> dict[str, pathlib.Path]:
    """Return {path from its folder on: path} of a user's own file, and of the modules and packages beside it that it
    imports, or that these import. Other folders of `sys.path` are not looked at."""
    files: dict[str, pathlib.Path] = {}
    own_file = own_file.resolve()
    waiting = [own_file]
    while waiting:
        path = waiting.pop()
        name = pathlib.Path(os.path.relpath(path, own_file.parent)).as_posix()
        if name not in files:
            files[name] = path
            waiting += [file for module in _of_users(path) for file in _beside(module, path, own_file.parent)]
    return files


def _of_users(path: pathlib.Path) -> set[str]:
    try:
        return every_import(path.read_text(encoding="utf-8", errors="replace"))
    except (SyntaxError, ValueError, RecursionError):  # its import fails with a line of its own
        return set()


def _beside(module: str, path: pathlib.Path, folder: pathlib.Path) -> Iterator[pathlib.Path]:
    """The user's own files of a module that `path` imports, and of the packages around the module."""
    name = module.removeprefix(f"{user_modules.__name__}.")
    rest = name.lstrip(".")
    first, start = rest.partition(".")[0], folder
    if level := len(name) - len(rest):
        start = path.parents[level - 1]
    elif (folder / "__init__.py").is_file():  # a package, imported by name
        start = next(parent for parent in folder.parents if not (parent / "__init__.py").is_file())
        if first != folder.relative_to(start).parts[0]:
            return
    elif folder.name in INSTALLED or (name == module and first in PACKAGES):
        return
    place = start
    for part in filter(None, rest.split(".")):
        place /= part
        yield from (file for file in (place.with_name(f"{part}.py"), place / "__init__.py") if file.is_file())


COMMAND = "icl-lab"  # `[project.scripts]` of pyproject.toml
PROGRAM = (
    "python run.py" if pathlib.Path(sys.argv[0]).stem != COMMAND and (ROOT / "pyproject.toml").is_file() else COMMAND
)


def without_program(parts: list[str]) -> list[str]:
    """Return a command line's parts without the name of the program."""
    return parts[1:] if parts[:1] == [COMMAND] else parts[2:]
