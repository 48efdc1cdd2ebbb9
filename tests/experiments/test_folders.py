"""The folders of experiments/ are what `experiments/__init__.py` says: nothing there is named in a table."""

import collections

import pytest

import experiments
from analysis import figures
from lab.config.kinds import KINDS

FAMILIES = sorted(path for path in experiments.HERE.iterdir() if (path / "__init__.py").exists())
FOLDERS = sorted({path.parent for path in experiments.yaml_files()})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_folder_is_a_kind_or_has_yaml_files_alone(folder):
    files = [path.name for path in folder.iterdir() if path.name != "__pycache__"]
    assert any(name.endswith(".yaml") for name in files), f"{folder} has no experiment: no file NAME.yaml"
    if "settings.py" not in files:
        others = [name for name in files if not name.endswith(".yaml")]
        assert not others, f"{folder} is no kind, as it has no settings.py, so these have no use: {others}"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_has_its_parts(kind):
    """Settings with the words of a tiny run, a function that runs, and the figures that it is drawn as."""
    folder, schema, own = KINDS[kind].folder, KINDS[kind].schema, KINDS[kind].figures
    assert folder is not None
    assert folder.parent in FAMILIES
    names = [word.removeprefix("experiment=") for word in schema.TINY if word.startswith("experiment=")]
    assert len(names) == 1, f"{folder}/settings.py: {schema.__name__}.TINY must have one word experiment=NAME"
    assert (folder / f"{names[0]}.yaml").exists(), f"{folder}: TINY names another kind's experiment"
    assert callable(getattr(KINDS[kind].load("run"), "run", None)), f"{folder}/run.py has no function run(records)"
    assert (schema.FIGURE or kind) in own, f"{folder}/settings.py: FIGURE={schema.FIGURE}; there are {[*own]}"
    allowed = [*own, "points"]
    assert schema.SWEEP_FIGURE in allowed, f"{folder}/settings.py: SWEEP_FIGURE={schema.SWEEP_FIGURE}; of {allowed}"
    for name, part in own.items():
        missing = [each for each in ("CAPTION", "draw") if not hasattr(figures.load(name), each)]
        assert not missing, f"{folder}: {part} has no {' and no '.join(missing)}"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_answers(kind):
    """An answer of its own: a template, of which functions may fill parts."""
    assert KINDS[kind].load("results").ANSWER


def test_names_are_given_once():
    """Neither experiments nor figures of two folders share a name, by which a command knows them."""
    of_experiments = collections.Counter(path.stem for path in experiments.yaml_files())
    of_figures = collections.Counter(name for kind in KINDS.values() for name in kind.figures)
    for names in (of_experiments, of_figures):
        assert not [name for name, count in names.items() if count > 1]
