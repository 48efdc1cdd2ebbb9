"""The code that makes a run: which files, told without importing them, and runs that today's would not make."""

import ast
import json
import re
import shutil
import subprocess
import sys

import pytest

from experiments.duals.dual_form.settings import DualForm
from lab.config import imported
from lab.config.kinds import KINDS
from lab.runs import provenance
from lab.runs.environment import environment
from tests.command_line import ENVIRONMENT, ROOT, ran
from tests.defaults import changed_default
from tests.own_files import BOUNCE, write
from tests.run_files import directory_of
from tests.test_architecture import FILES, imports

DUAL = ["experiment=dual_form", "cases=2", "topics=[linear]"]


def modules(names):
    """The modules among what a file imports, and not the names that it takes from them."""
    return {name for name in names if provenance._file(name) is not None}


def test_imports_are_those_of_the_parsed_files():
    for path in FILES:
        text = path.read_text()
        parsed = imports(ast.parse(text))
        parsed |= {name.rpartition(".")[0] for name in parsed}
        assert modules(imported.imports(text)) == modules(parsed), path
    several = "def f():\n    import lab.dual as dual, tasks.task\n    from lab import (  # one (or all)\n errors,\n )"
    assert modules(imported.imports(several)) == {"lab.dual", "tasks.task", "lab", "lab.errors"}


def test_the_revision_is_the_lab_s_also_in_a_hook_of_another_repository(tmp_path, monkeypatch):
    """For which git sets the variables."""
    before = environment()
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for name, place in {"GIT_DIR": ".git", "GIT_WORK_TREE": ".", "GIT_INDEX_FILE": ".git/index"}.items():
        monkeypatch.setenv(name, str(tmp_path / place))
    assert environment() == before


def test_a_file_that_git_does_not_track_counts_as_a_change(tmp_path, monkeypatch):
    """It may be imported; what `.gitignore` names is no part of the code."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.setattr("lab.runs.environment.ROOT", tmp_path)
    assert not environment()["git_modified"]
    (tmp_path / ".git" / "info" / "exclude").write_text("runs\n")
    (tmp_path / "runs").write_text("")
    assert not environment()["git_modified"]
    (tmp_path / "task.py").write_text("")
    assert environment()["git_modified"]


def test_a_clone_has_the_same_bytes_whatever_the_settings_of_git_are():
    """Hashes of code are of them; git can be told to write other ends of lines."""
    for name in ("run.py", "docs/results/claims.csv"):
        told = ["git", "-C", str(ROOT), "-c", "core.autocrlf=true", "-c", "core.eol=crlf"]
        done = subprocess.run([*told, "cat-file", "--filters", f"HEAD:{name}"], capture_output=True)
        if done.returncode:
            pytest.skip("no clone")
        kept = subprocess.run(["git", "-C", str(ROOT), "cat-file", "blob", f"HEAD:{name}"], capture_output=True)
        assert done.stdout == kept.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["comparison", "decoder_speed", "click_log"])
def test_the_code_of_a_kind_is_all_that_is_imported(kind):
    """In a fresh process, the lab's modules that importing settings.py and run.py has brought there are among it."""
    folder = KINDS[kind].folder
    assert folder is not None
    family = folder.parent.name
    package = f"{family}.{kind}"
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        f"import experiments.{package}.settings, experiments.{package}.run\n"
        "files = {getattr(module, '__file__', None) for module in [*sys.modules.values()]}\n"
        "print(*filter(None, files), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", script], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    code = provenance.code(KINDS[kind].schema())
    loaded = {name.removeprefix(f"{ROOT}/") for name in done.stdout.splitlines() if name.startswith(f"{ROOT}/")}
    loaded = {name for name in loaded if not name.startswith(".")}
    assert {
        f"experiments/{family}/{kind}/run.py",
        f"experiments/{family}/__init__.py",
        "lab/runs/provenance.py",
    } <= loaded
    assert loaded <= code.keys()
    assert not [name for name in code if re.match(r"experiments/(?!__init__)", name) and f"/{family}/" not in name]


def stale(*words, cwd):
    done = ran("runs", "stale", *words, cwd=cwd)
    *lines, counts = done.stdout.splitlines()
    return lines, counts


def test_runs_of_other_settings_are_listed_before_those_of_other_code(tmp_path):
    for words in (DUAL, [*DUAL, "seed=1"], [*DUAL, "seed=2", "learning_rate=0.1"]):
        ran(*words, cwd=tmp_path)
    assert stale(f"run.dir='{tmp_path}/runs'", cwd=tmp_path)[0] == [], "runs that are as today"
    changed = min(tmp_path.glob("runs/*/*/provenance.json"))
    stored = json.loads(changed.read_text())
    stored["code"]["lab/gone.py"] = "0"
    changed.write_text(json.dumps(stored))
    lines, counts = stale(cwd=tmp_path)
    assert lines == [f"runs/dual_form/{changed.parent.name}: made by other code (changed since: lab/gone.py)"]
    assert counts == "3 finished runs in runs: 0 with other settings, 1 made by other code, 0 not checked"
    with changed_default(DualForm, learning_rate=0.1):
        lines, counts = stale(cwd=tmp_path)
    assert counts.startswith("3 finished runs in runs: 3 with other settings")
    assert sum("rate was 0.2 and is 0.1 today" in line for line in lines) == 2
    assert sum("the same settings are called" in line for line in lines) == 1


@pytest.mark.slow
def test_a_changed_line_of_code_is_listed(tmp_path):
    """By a copy of the lab that has it, without JAX."""
    ran(*DUAL, cwd=tmp_path)
    copy = tmp_path / "copy"
    for folder in ("analysis", "experiments", "lab", "tasks", "trainers"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "run.py", copy)
    script = (
        f"import sys; sys.path.insert(0, {str(copy)!r})\nimport run\n"
        "sys.argv = ['run.py', 'runs', 'stale']\nrun.main()\n"
        "print([name for name in ('jax', 'flax', 'matplotlib') if name in sys.modules])"
    )

    def listed():
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True)
        *lines, modules = done.stdout.splitlines()
        assert modules == "[]"
        return lines[:-1]

    assert listed() == []
    with open(copy / "lab" / "dual.py", "a") as file:
        file.write("\n# a line\n")
    (copy / "experiments" / "duals" / "dual_form" / "figure.py").write_text("# which the tables do not depend on\n")
    path = directory_of(tmp_path)
    assert listed() == [f"runs/dual_form/{path.name}: made by other code (changed since: lab/dual.py)"]


@pytest.mark.usefixtures("tables")
def test_nothing_of_a_run_with_a_file_of_ones_own_is_executed(tmp_path):
    """Nor of one that starts from such a run."""
    (tmp_path / "mine").mkdir()
    use = write(tmp_path / "mine", BOUNCE)
    ran(use, "kind=bounce", "name=bounce", cwd=tmp_path)
    ran(*DUAL, cwd=tmp_path)
    assert stale(use, cwd=tmp_path)[0] == []
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\nimport run\nsys.argv = ['run.py', 'runs', 'stale']\nrun.main()"
    )
    (tmp_path / "mine" / "my.py").write_text("import pathlib\npathlib.Path('executed').touch()\n")
    summary = next(tmp_path.glob("runs/dual_form/*/summary.json"))
    summary.write_text(json.dumps(json.loads(summary.read_text()) | {"command": f"python run.py kind=bounce {use}"}))
    other = tmp_path / "runs" / "icl_vs_finetune" / "0"
    shutil.copytree(summary.parent, other)
    words = f"\"model.words=['{use}']\""
    text = json.dumps(
        json.loads(summary.read_text()) | {"command": f"python run.py experiment=icl_vs_finetune {words}"}
    )
    (other / "summary.json").write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert lines[-1] == "3 finished runs in runs: 0 with other settings, 0 made by other code, 3 not checked", lines
    assert any(f"not checked, as it was made with {use}; add the word" in line for line in lines)
    assert any("not checked (" in line and f"{use}: nothing of it is executed here" in line for line in lines)
    assert not (tmp_path / "executed").exists()
