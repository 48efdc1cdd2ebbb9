"""The house: imports run downwards and never in a circle."""

import ast
import pathlib
import tomllib

import pytest

ROOT = pathlib.Path(__file__).parent.parent
FLOORS = ["tasks", "lab", "analysis", "trainers", "run"]  # from the ground up


def imported(path: pathlib.Path) -> set[str]:
    """The modules that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


FILES = [path for floor in FLOORS for path in sorted(ROOT.glob(f"{floor}/**/*.py")) or [ROOT / f"{floor}.py"]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_downwards(path):
    floor = FLOORS.index(path.relative_to(ROOT).parts[0].removesuffix(".py"))
    above = {name for name in imported(path) if name.split(".")[0] in FLOORS[floor + 1 :]}
    assert not above


def test_no_import_runs_in_a_circle():
    modules = {str(path.relative_to(ROOT)).removesuffix(".py").replace("/", "."): path for path in FILES}
    graph = {name: imported(path) & set(modules) - {name} for name, path in modules.items()}
    while free := [name for name, needs in graph.items() if not needs]:
        graph = {name: needs - set(free) for name, needs in graph.items() if name not in free}
    assert not graph


def test_every_package_is_installed():
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]["include"]
    assert patterns == [f"{layer}*" for layer in sorted(FLOORS[:-1])]
    folders = {path.parent for path in FILES if path != ROOT / "run.py"}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]


def test_the_door_is_small():
    assert len((ROOT / "run.py").read_text().splitlines()) < 60
