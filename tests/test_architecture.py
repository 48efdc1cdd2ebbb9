"""The architecture: imports run from higher layers to lower ones and never in a circle, wherever in a file they are."""

import ast
import pathlib
import re
import tomllib

import pytest

ROOT = pathlib.Path(__file__).parent.parent
LAYERS = ["tasks", "lab", "analysis", "trainers", "experiments", "run"]  # from the lowest
# The sub-packages of each layer, from the lowest. Those of one row do not import one another; "" stands for the files
# that are in the layer's own folder.
SUBPACKAGES = {
    "lab": [{"errors"}, {"attention", "config", "features", "layouts"}, {"dual"}, {"learners"}, {"runs"}, {"language"}],
    "analysis": [{"metrics"}, {"tables"}, {"figures"}, {"results"}, {"report"}, {"findings", "shelf"}],
    "trainers": [{""}, {"decide", "decoders", "language", "timing"}],
}
BY_NAME = {  # files that import a module by a name that is in a table or on the command line, and why
    "analysis/figures/__init__.py": "a figure's module imports Matplotlib: only when it is drawn",
    "experiments/__init__.py": "the parts of a kind, which is found by its folder",
    "experiments/timing/decoder_speed/in_torch.py": "PyTorch, which may not be installed",
    "lab/config/user_code.py": "the user's own file",
}


def imports(tree: ast.AST) -> set[str]:
    """What a piece of code imports, wherever in it: modules, and MODULE.NAME for each name that it takes from one."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports have whole names"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def modules(path: pathlib.Path) -> set[str]:
    """The lab's own modules that a file imports."""
    parents = {name if name in MODULES else name.rpartition(".")[0] for name in imported(path)}
    return parents & {*MODULES}


def imported(path: pathlib.Path) -> set[str]:
    return imports(ast.parse(path.read_text()))


FILES = [path for layer in LAYERS for path in sorted(ROOT.glob(f"{layer}/**/*.py")) or [ROOT / f"{layer}.py"]]
MODULES = {
    str(path.relative_to(ROOT)).removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in FILES
}


def subpackage(module: str) -> tuple[str, str]:
    """(layer, sub-package) of a module; a file of the layer's own folder is a sub-package if SUBPACKAGES says so."""
    layer, *rest = module.split(".")
    names = set().union(*SUBPACKAGES.get(layer, []))
    return layer, rest[0] if rest and rest[0] in names else ""


def rank(layer: str, name: str) -> int:
    return next(place for place, names in enumerate(SUBPACKAGES[layer]) if name in names)


def test_imports_run_downwards():
    upwards = []
    for path in FILES:
        higher = LAYERS[LAYERS.index(path.relative_to(ROOT).parts[0].removesuffix(".py")) + 1 :]
        upwards += [f"{path} imports {name}" for name in imported(path) if name.split(".")[0] in higher]
    assert not upwards


def test_families_do_not_import_one_another():
    """What two of them share belongs to a layer below; kinds of a family may import one another."""
    across = [
        f"{module} imports {name}"
        for module, path in MODULES.items()
        for name in modules(path)
        if module.startswith("experiments.") and name.startswith("experiments.")
        if module.split(".")[1] != (family := name.split(".")[1]) and (ROOT / "experiments" / family).is_dir()
    ]
    assert not across


def test_no_layer_below_knows_the_experiments():
    """Neither by an import, which the test above sees, nor by the name of a module in a text."""
    below = [path for path in FILES if path.relative_to(ROOT).parts[0] not in ("experiments", "run.py")]
    assert not [path for path in below if re.search(r"[\"']experiments\.", path.read_text())]


@pytest.mark.parametrize("layer", SUBPACKAGES)
def test_imports_run_downwards_between_the_subpackages_of_a_layer(layer):
    upwards = []
    for module, path in MODULES.items():
        here = subpackage(module)
        if here[0] != layer or module == layer:
            continue
        for name in modules(path):
            there = subpackage(name)
            if there[0] == layer and there != here and name != layer and rank(*there) >= rank(*here):
                upwards.append(f"{module} imports {name}")
    assert not upwards


def test_every_subpackage_has_its_place():
    for layer, order in SUBPACKAGES.items():
        folders = {path.name for path in (ROOT / layer).iterdir() if (path / "__init__.py").exists()}
        assert folders <= set().union(*order), layer


def test_no_import_runs_in_a_circle():
    graph = {name: modules(path) - {name} for name, path in MODULES.items()}
    while free := [name for name, needs in graph.items() if not needs]:
        graph = {name: needs - set(free) for name, needs in graph.items() if name not in free}
    assert not graph


def test_a_lazy_import_is_seen():
    hidden = "def f():\n    if True:\n        from trainers.launch import launch\n"
    assert imports(ast.parse(hidden)) == {"trainers.launch.launch"}


def test_only_tables_import_by_name():
    """What is imported by a computed name is not seen by the tests above."""
    calls = {
        str(path.relative_to(ROOT))
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute | ast.Name)
        and (getattr(node, "attr", "") or getattr(node, "id", "")) in ("import_module", "__import__")
    }
    assert calls == {*BY_NAME}


NO_JAX = ("lab/config/**/*.py", "experiments/*/*/settings.py", "lab/runs/estimate.py")


def test_settings_are_understood_without_jax():
    for path in [path for pattern in NO_JAX for path in ROOT.glob(pattern)]:
        assert not {name.split(".")[0] for name in imported(path)} & {"jax", "flax", "optax", "numpy"}, path


def test_every_package_is_installed():
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]["include"]
    assert patterns == [f"{layer}*" for layer in sorted(LAYERS[:-1])]
    folders = {path.parent for path in FILES if path != ROOT / "run.py"}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]


PACKAGES = sorted(path for path in FILES if path.name == "__init__.py")
REFUSES = re.compile(r"\b(no|not|nothing|none|never|neither|nor|without|only|alone)\b", re.IGNORECASE)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_a_package_says_what_lives_there_and_what_must_not(package):
    text = " ".join((ast.get_docstring(ast.parse(package.read_text())) or "").split())
    name = package.parent.relative_to(ROOT)
    assert len(re.findall(r"[.:](?= |$)", text)) >= 2, f"{name}/__init__.py: say in two sentences what lives there"
    assert REFUSES.search(text), f"{name}/__init__.py: say what must not live there"


def tour() -> list[str]:
    """The files of the reading path in docs/architecture.md."""
    section = (
        (ROOT / "docs" / "architecture.md").read_text().partition("## A tour of ten files")[2].partition("\n## ")[0]
    )
    return re.findall(r"^\d+\. \[`([^`]+)`\]\(\.\./\1\)", section, flags=re.MULTILINE)


def test_the_tour_is_of_ten_files_that_are_there():
    assert len(tour()) == 10
    lines = sum(len((ROOT / name).read_text().splitlines()) for name in tour())
    assert 800 < lines < 1200, f"{lines} lines: about a thousand"


def test_figures_are_drawn_without_jax():
    parts = ("results.py", "figure.py", "results/*.py", "figures/*.py", "drawing/*.py")
    for path in [path for part in parts for path in ROOT.glob(f"experiments/*/*/{part}")]:
        assert not {name.split(".")[0] for name in imported(path)} & {"jax", "flax", "optax", "trainers"}, path


def test_the_entry_point_is_small():
    assert len((ROOT / "run.py").read_text().splitlines()) <= 90


def test_no_page_or_table_has_marks_of_a_merge():
    pages = [path for ending in ("md", "csv", "yaml", "toml") for path in ROOT.glob(f"docs/**/*.{ending}")]
    marked = [path for path in (*pages, *ROOT.glob("*.md")) if re.search(r"^(<{7}|>{7}) ", path.read_text(), re.M)]
    assert marked == []
