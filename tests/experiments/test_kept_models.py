"""The kept models: each opens, its files are those of the manifest, and its loss is what the manifest says."""

import json
import math
import shlex
import shutil

import pytest

import lab
from experiments import KEPT, keep_models, kept_models
from lab.errors import UserError
from tests.command_line import TINY

NAMES = sorted(kept_models.manifest())
LARGEST = 2 * 10**6  # bytes of all together: they are in every clone and wheel
SEED = 77  # of fresh episodes, other than those of the manifest


@pytest.mark.parametrize("name", NAMES)
def test_its_loss_on_fresh_episodes_is_that_of_the_manifest(name, tmp_path, monkeypatch):
    """Within five standard errors of the difference. No folder of runs is there."""
    monkeypatch.chdir(tmp_path)
    stored = kept_models.manifest()[name]["losses"]
    measured = keep_models.losses(lab.load(name), SEED)
    assert measured.keys() == stored.keys()
    for learner, now in measured.items():
        error = math.hypot(now["stderr"], stored[learner]["stderr"])
        assert 0 < error < 0.1 * stored[learner]["mean"], learner
        assert abs(now["mean"] - stored[learner]["mean"]) < 5 * error, learner
    assert not [*tmp_path.iterdir()]


def test_the_manifest_is_of_the_list_and_of_all_files():
    rows, entries = keep_models.listed(), kept_models.manifest()
    assert [*rows] == [*entries]
    for name, row in rows.items():
        assert entries[name]["shows"] == row["shows"]
        assert shlex.split(entries[name]["command"]) == ["python", "run.py", *shlex.split(row["overrides"])]
        assert entries[name]["files"] == kept_models.file_list(KEPT / name)
    assert {path.name for path in KEPT.iterdir()} == {*rows, "models.csv", "manifest.json"}
    assert sum(path.stat().st_size for path in KEPT.rglob("*")) < LARGEST


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of one model that may be damaged."""
    shutil.copytree(KEPT / "plain", tmp_path / "kept" / "plain")
    monkeypatch.setattr(kept_models, "KEPT", tmp_path / "kept")
    return tmp_path / "kept" / "plain"


def test_a_damaged_file_is_refused_in_one_line(copied):
    assert lab.load("plain").learners()
    for path in sorted(copied.iterdir()):
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]) if content else b"1")
        with pytest.raises(UserError, match=rf"^kept model plain: .*{path.name} has another checksum [^\n]*$"):
            lab.load("plain")
        path.unlink()
        with pytest.raises(UserError, match=rf"{path.name} is missing; .*experiments\.keep_models plain$"):
            lab.load("plain")
        path.write_bytes(content)


def test_a_directory_comes_first_and_other_names_are_refused_with_the_closest_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"plan: no run's directory; .*did you mean plain\?"):
        lab.load("plan")
    (tmp_path / "plain").mkdir()
    with pytest.raises(UserError, match="no run's directory"):
        lab.load("plain")


@pytest.mark.slow
def test_the_command_makes_a_model(tmp_path, monkeypatch):
    for module in (keep_models, kept_models):
        monkeypatch.setattr(module, "KEPT", tmp_path)
    monkeypatch.setattr(kept_models, "MANIFEST", tmp_path / "manifest.json")
    monkeypatch.setattr(keep_models, "LIST", tmp_path / "models.csv")
    words = shlex.join(["experiment=plain", *TINY, "seed=5"])
    (tmp_path / "models.csv").write_text(f'name,overrides,shows\nsmall,"{words}",A test.\n')
    (tmp_path / "earlier").mkdir()
    kept_models.manifest.cache_clear()
    keep_models.main([])
    kept_models.manifest.cache_clear()
    entry = json.loads((tmp_path / "manifest.json").read_text())["small"]
    assert not (tmp_path / "earlier").exists()
    assert entry["seed"] == 5
    assert entry["files"].keys() >= {"DONE", "config.yaml", "summary.json", "seeds.csv", "learner_transformer.npz"}
    again = keep_models.losses(lab.load("small"), keep_models.KEY)
    assert again == entry["losses"]
    kept_models.manifest.cache_clear()
