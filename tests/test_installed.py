"""The wheel of a clone, in an environment of its own: the lab is used from another folder, and the clone is gone."""

import json
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import pytest

from lab.config.imported import PACKAGES
from tests.command_line import ENVIRONMENT, ROOT, TINY

pytestmark = pytest.mark.slow
SCRIPT = f"""
import importlib, sys, lab
for name in {(*PACKAGES, "run")}:
    assert importlib.import_module(name).__file__.startswith(sys.prefix), name
run = lab.load(sys.argv[1])
print(run.settings.task.name, [*run.learners()], [*lab.load("plain").learners()])
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> pathlib.Path:
    """A virtual environment with the wheel, whose other packages are those of the tests."""
    folder = tmp_path_factory.mktemp("installed")
    clone, new = folder / "clone", folder / "environment"
    for name in PACKAGES:
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("run.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(folder), str(clone)], check=True)
    shutil.rmtree(clone)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(new)], check=True)
    subprocess.run([*pip, "--python", str(new / "bin/python"), "install", "--no-deps", str(wheel)], check=True)
    (packages_of(new) / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return new


def packages_of(environment: pathlib.Path) -> pathlib.Path:
    return next(environment.glob("lib/python*/site-packages"))


def test_all_files_of_the_packages_are_installed(installed):
    files = [path.relative_to(ROOT) for name in PACKAGES for path in ROOT.glob(f"{name}/**/*") if path.is_file()]
    missing = [str(path) for path in files if not (packages_of(installed) / path).exists()]
    assert [name for name in missing if "__pycache__" not in name] == []


def test_it_is_used_from_another_folder(installed, tmp_path):
    def called(program: str, *words: str) -> str:
        variables = {name: value for name, value in ENVIRONMENT.items() if name != "PYTHONPATH"}
        command = [str(installed / "bin" / program), *words]
        done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    (tmp_path / "run.py").write_text("raise SystemExit('another program')")
    done = called("icl-lab", "experiment=rag_dot", *TINY)
    (directory,) = (path.parent for path in tmp_path.glob("runs/rag_dot/*/DONE"))
    assert "again:   icl-lab experiment=rag_dot " in done
    code = json.loads((directory / "provenance.json").read_text())["code"]
    assert "trainers/loop.py" in code
    assert {name.split("/")[0] for name in code} <= {*PACKAGES}, "and not of other packages beside them"
    assert json.loads((directory / "environment.json").read_text())["git_revision"] == "unknown"
    assert "already done" in called("icl-lab", "experiment=rag_dot", *TINY)
    assert directory.name in called("icl-lab", "runs")
    assert "0 with other settings, 0 made by other code, 0 not checked" in called("icl-lab", "runs", "stale")
    assert "report.html" in called("icl-lab", f"report={directory}")
    script = tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    assert called("python", str(script), str(directory)).startswith("rag_dot ['")
