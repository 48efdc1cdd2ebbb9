"""`run.force=true`: the earlier result stays until there is another, and files of the user's stay in any case."""

import pytest

from experiments.duals.dual_form import run as dual_form
from lab.errors import Diverged
from tests.command_line import TINY, lab_here
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
    assert after.keys() == before.keys()
    assert after["notes.md"] == b"mine"
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


MINE = ["notes.txt", "figures/sketch.png", "checkpoints/notes.txt", "checkpoints/4/notes.txt", "partial/notes.txt",
        "tensorboard/notes.txt"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("done", [True, False])
def test_files_of_the_user_s_stay_in_every_folder(done, tmp_path):
    """Of a run that is done or not, whose saved state is that of the step whose folder has a file of theirs."""
    words = ["experiment=plain", *TINY, "checkpoint.every=0"]
    assert lab_here(*words, cwd=tmp_path).returncode == 0
    path = directory_of(tmp_path)
    before = content(path)
    for name in MINE:
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text("mine")
    if not done:
        (path / "DONE").unlink()
    forced = lab_here(*words, "run.force=true", cwd=tmp_path)
    assert forced.returncode == 0, forced.stderr
    after = content(path)
    assert {name: after[name] for name in MINE} == dict.fromkeys(MINE, b"mine")
    assert named(after.keys() - set(MINE)) == named(before)
    other = lab_here(*words, "baselines.ridge_penalty=0.1", cwd=tmp_path)
    assert other.returncode == 0, other.stderr
    assert "the training is that of" in other.stdout, "the saved state is whole"


def named(files):
    """Without the names that tensorstore chooses anew each time."""
    return {name for name in files if "/d/" not in name}
