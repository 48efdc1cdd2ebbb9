"""`run.force=true`: the earlier result stays until there is another."""

import pytest

from experiments.duals.dual_form import run as dual_form
from lab.errors import Diverged
from tests.command_line import lab_here
from tests.run_files import directory_of

WORDS = ["experiment=dual_form", "cases=2", "topics=[linear]"]
real = dual_form.run


def broken(records):
    records[0].table("identities", [{"half": 1}])
    raise Diverged("the loss is no number")


def killed(records):
    real(records)
    raise SystemExit(9)


def content(path):
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


@pytest.mark.parametrize("fault", [broken, killed])
def test_the_earlier_result_stays_until_there_is_another(fault, tmp_path, monkeypatch):
    assert lab_here(*WORDS, cwd=tmp_path).returncode == 0
    path = directory_of(tmp_path)
    (path / "notes.md").write_text("mine")
    before = content(path)
    with monkeypatch.context() as patched:
        patched.setattr(dual_form, "run", fault)
        assert lab_here(*WORDS, "run.force=true", cwd=tmp_path).returncode in (1, 9)
    assert content(path) == before
    assert "already done" in lab_here(*WORDS, cwd=tmp_path).stdout

    forced = lab_here(*WORDS, "run.force=true", cwd=tmp_path)
    assert forced.returncode == 0
    assert "already done" not in forced.stdout
    after = content(path)
    assert after.keys() == before.keys() - {"notes.md"}
    assert content(tmp_path / "runs" / ".replaced" / path.parent.name / path.name) == before
    assert after["summary.json"] != before["summary.json"], "its seconds"


def test_a_sweep_says_that_a_repetition_failed_and_keeps_the_earlier_results(tmp_path, monkeypatch):
    """Its own and its points'."""
    words = ["-m", *WORDS, "seed=1,2"]
    assert lab_here(*words, cwd=tmp_path).returncode == 0
    before = {path: content(path.parent) for path in tmp_path.glob("runs/*/*/DONE")}
    assert len(before) == 3
    with monkeypatch.context() as patched:
        patched.setattr(dual_form, "run", broken)
        done = lab_here(*words, "run.force=true", cwd=tmp_path)
    assert done.returncode == 1
    assert "every point failed: seed=1 and seed=2: the loss is no number" in done.stderr
    assert {path: content(path.parent) for path in tmp_path.glob("runs/*/*/DONE")} == before
    again = lab_here(*words, cwd=tmp_path)
    assert again.returncode == 0
    assert len([*tmp_path.glob("runs/*/*/DONE")]) == 3
