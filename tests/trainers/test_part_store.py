"""Finished parts of a run that is not finished."""

import json
import pathlib

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from tests.trainers.sessions import records_of
from trainers import pending
from trainers.part_store import IDENTITY, Partial


def test_what_is_kept_is_read_again(tmp_path):
    """Exactly: numbers of any type come back as they were, and rows in the order of their columns."""
    partial = Partial(tmp_path / "partial", "one")
    rows = [{"b": 1, "a": 1 / 3, "c": None, "d": float("nan")}, {"a": np.float32(0.1), "b": np.int64(2)}]
    tree = {"x": np.float32([0.1, np.nan]), "inner": {"count": np.array([3]), "flag": np.array([True])}}
    read = partial.keep_rows("rows / of (any) name", rows)
    partial.keep_tree("tree", tree)
    again = Partial(tmp_path / "partial", "one")
    assert json.dumps(again.rows("rows / of (any) name")) == json.dumps(read)
    assert [*read[0]] == ["b", "a", "c", "d"]
    assert read[0]["a"] == 1 / 3
    chex.assert_trees_all_equal(again.tree("tree"), tree, strict=True)
    assert again.rows("others") is again.tree("others") is None


def test_a_learner_is_read_into_its_structure(tmp_path):
    partial = Partial(tmp_path / "partial", "one")
    learner = GradientDescent(TokenLayout((("x", 2),), 1), jnp.float32(0.3))
    like = jax.eval_shape(lambda: GradientDescent(TokenLayout((("x", 2),), 1), jnp.float32(0)))
    partial.keep_learner("learner", learner)
    again = partial.learner("learner", like)
    assert type(again) is GradientDescent
    chex.assert_trees_all_equal(jax.tree.leaves(again), jax.tree.leaves(learner), strict=True)


def test_parts_of_another_identity_are_removed_and_files_of_the_user_stay(tmp_path):
    folder = tmp_path / "partial"
    Partial(folder, "one").keep_rows("rows", [])
    (folder / "mine.txt").write_text("")
    other = Partial(folder, "two")
    assert other.rows("rows") is None
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    other.keep_rows("rows", [{"a": 1}])
    assert Partial(folder, "two").rows("rows") == [{"a": 1}]
    other.clear()
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


def test_saved_states_of_a_training_are_of_the_same_identity(tmp_path):
    """Before any part is done there may be a saved state, which the same run goes on from."""
    folder = tmp_path / "partial"
    place = Partial(folder, "one").place("training")
    place.mkdir()
    (place / "4.sha256").write_text("")
    assert (Partial(folder, "one").place("training") / "4.sha256").exists()
    assert not (Partial(folder, "two").place("training") / "4.sha256").exists()


def test_without_parts_there_is_no_folder(tmp_path):
    partial = Partial(tmp_path / "partial", "one")
    assert partial.rows("rows") is None
    partial.clear()
    assert not (tmp_path / "partial").exists()


def test_a_part_that_was_cut_off_is_not_there(tmp_path, monkeypatch):
    """A file takes its name when it is whole."""
    partial = Partial(tmp_path / "partial", "one")

    def cut(path, content):
        path.write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    partial.keep_rows("rows", [])
    monkeypatch.setattr(pathlib.Path, "write_bytes", cut)
    with pytest.raises(KeyboardInterrupt):
        partial.keep_tree("tree", {"x": np.zeros(3)})
    assert Partial(tmp_path / "partial", "one").tree("tree") is None
    assert (tmp_path / "partial" / IDENTITY).exists()


DAMAGE = {
    "cut": lambda content: content[:-1],
    "empty": lambda content: b"",
    "a bit": lambda content: content[:-3] + bytes([content[-3] ^ 1]) + content[-2:],
    "a bit of the sum": lambda content: bytes([content[0] ^ 1]) + content[1:],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("kind", ["json", "npz", IDENTITY])
def test_a_part_that_is_not_as_it_was_written_is_not_there(damage, kind, tmp_path, capsys):
    """A flipped bit would be another number, and a file that a power failure has emptied would stop every start."""
    partial = Partial(tmp_path / "partial", "one")
    partial.keep_rows("part", [{"x": 0.125}])
    partial.keep_tree("part", {"x": np.float32([0.1])})
    (file,) = (tmp_path / "partial").glob(f"*{kind}" if kind == IDENTITY else f"part*{kind}")
    file.write_bytes(damage(file.read_bytes()))
    again = Partial(tmp_path / "partial", "one")
    assert (again.rows("part") is None) == (kind in ("json", IDENTITY))
    assert (again.tree("part") is None) == (kind in ("npz", IDENTITY))
    (line,) = capsys.readouterr().out.splitlines()
    assert line == f"{file} is damaged: what it held is made again"


def test_a_run_that_is_killed_while_it_draws_has_its_parts(tmp_path, monkeypatch):
    """They are removed when it is DONE, so that hours of measuring are not done again for a figure."""
    words = ["experiment=dual_form", "cases=2", "topics=[linear]", f"run.dir={tmp_path}"]

    def killed(directory):
        raise SystemExit(9)

    with monkeypatch.context() as patched:
        patched.setattr(pending, "draw", killed)
        (record,) = records_of(words=words)
        with pytest.raises(SystemExit), pending.at_work([record]):
            record.partial.keep_rows("one", [{"x": 1.0}])
    (record,) = records_of(words=words)
    with pending.at_work([record]):
        assert record.partial.rows("one") == [{"x": 1.0}]
    assert record.directory.done
    assert record.partial.rows("one") is None
