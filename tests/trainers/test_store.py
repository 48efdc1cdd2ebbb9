"""Saved states and finished parts come back bit for bit, and what is damaged or another's does not come back at all."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.errors import UserError
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.runs import own_files
from tests.trainers.sessions import records_of
from trainers import pending
from trainers.store import KEPT, Checkpoints, Partial

TREE = {
    "weights": [jnp.linspace(0.0, 1.0, 6).reshape(2, 3), jnp.array(1e-40), jnp.ones((2, 0))],
    "halves": jnp.array([1.5, jnp.nan], jnp.bfloat16),
    "step": jnp.array(7),
    "alive": jnp.array([True, False]),
}
RECORD = {"curves": [{"loss": 0.1 + 0.2, "bad": float("nan"), "none": None}], "seconds": 1.5}
ROWS = [{"b": 1, "a": 1 / 3, "c": None, "d": float("nan")}, {"a": np.float32(0.1), "b": np.int64(2)}]


@pytest.fixture
def checkpoints(tmp_path):
    return Checkpoints(tmp_path / "checkpoints", "some run")


@pytest.fixture
def partial(tmp_path):
    return Partial(tmp_path / "partial", "one")


def assert_equal(one, two):
    assert jax.tree.structure(one) == jax.tree.structure(two)
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(two), strict=True):
        assert (a.shape, a.dtype, a.tobytes()) == (b.shape, b.dtype, np.asarray(b).tobytes())


def test_a_state_comes_back_bit_for_bit(checkpoints):
    assert checkpoints.steps == set()
    checkpoints.save(3, TREE, RECORD)
    tree, record = checkpoints.restore(3, TREE)
    assert_equal(tree, TREE)
    assert repr(record) == repr(RECORD)


def test_parts_come_back_bit_for_bit(partial):
    """Rows in the order of their columns, and a learner in its structure."""
    tree = {"x": np.float32([0.1, np.nan]), "inner": {"count": np.array([3]), "flag": np.array([True])}}
    learner = GradientDescent(TokenLayout((("x", 2),), 1), jnp.float32(0.3))
    like = jax.eval_shape(lambda: GradientDescent(TokenLayout((("x", 2),), 1), jnp.float32(0)))
    read = partial.keep_rows("rows / of (any) name", ROWS)
    partial.keep_tree("rows / of (any) name", tree)
    partial.keep_learner("learner", learner)
    again = Partial(partial.folder, "one")
    assert json.dumps(again.rows("rows / of (any) name")) == json.dumps(read)
    assert [*read[0]] == ["b", "a", "c", "d"]
    assert read[0]["a"] == 1 / 3
    assert_equal(again.tree("rows / of (any) name"), tree)
    assert type(again.learner("learner", like)) is GradientDescent
    assert_equal(jax.tree.leaves(again.learner("learner", like)), jax.tree.leaves(learner))
    assert again.rows("others") is again.tree("others") is None


def test_the_last_states_are_kept_and_of_a_finished_run_the_newest_alone(checkpoints):
    checkpoints.keep_newest()
    for step in range(4):
        checkpoints.save(step, TREE, RECORD)
    assert checkpoints.steps == set(range(4 - KEPT, 4))
    checkpoints.keep_newest()
    assert [path.name for path in checkpoints.folder.iterdir()] == ["3.npz"]
    checkpoints.clear()
    assert checkpoints.steps == set()


def test_a_step_can_be_saved_again(checkpoints):
    """By a run that was killed over it, or that found it damaged."""
    checkpoints.save(3, TREE, RECORD)
    checkpoints.save(3, TREE | {"step": jnp.array(8)}, RECORD)
    assert checkpoints.restore(3, TREE)[0]["step"] == 8


def test_damage_to_any_byte_is_seen(checkpoints, capfd):
    """A flipped bit would be another number: the file is read as it was written, or not at all."""
    checkpoints.save(3, TREE, RECORD)
    file = checkpoints.folder / "3.npz"
    whole = file.read_bytes()
    unread = 0
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        if (restored := checkpoints.restore(3, TREE)) is None:
            unread += 1
        else:  # such as the archive's times of its members
            assert_equal(restored[0], TREE)
            assert repr(restored[1]) == repr(RECORD)
    assert unread > len(whole) / 2
    for content in (b"", whole[: len(whole) // 2], whole[:-1]):
        file.write_bytes(content)
        assert checkpoints.restore(3, TREE) is None
    assert set(capfd.readouterr().out.splitlines()) == {f"{file} is damaged: what it held is made again"}
    file.write_bytes(whole)
    assert checkpoints.restore(3, TREE) is not None


@pytest.mark.parametrize(
    "other",
    [
        TREE | {"step": jnp.zeros(2, int)},
        TREE | {"step": jnp.array(7.0)},
        TREE | {"halves": jnp.zeros(2, jnp.float16)},
        {key: value for key, value in TREE.items() if key != "alive"},
    ],
)
def test_a_state_of_another_shape_type_or_structure_is_not_read(other, checkpoints):
    checkpoints.save(3, TREE, RECORD)
    assert checkpoints.restore(3, other) is None


def test_files_of_another_identity_are_not_read(partial, checkpoints):
    checkpoints.save(3, TREE, RECORD)
    assert Checkpoints(checkpoints.folder, "another").restore(3, TREE) is None
    partial.keep_rows("rows", [])
    partial.checkpoints("training").save(4, TREE, RECORD)
    other = Partial(partial.folder, "two")
    assert other.rows("rows") is other.checkpoints("training").restore(4, TREE) is None
    other.keep_rows("rows", [{"a": 1}])
    assert Partial(partial.folder, "two").rows("rows") == [{"a": 1}]


def test_all_files_are_removed_and_none_of_the_user_s(partial, checkpoints):
    """Their names are known as the lab's."""
    partial.clear()
    assert not partial.folder.exists()
    partial.keep_rows("rows", ROWS)
    partial.keep_tree("tree", {"x": np.zeros(3)})
    partial.checkpoints("training").save(4, TREE, RECORD)
    checkpoints.save(3, TREE, RECORD)
    for store, pattern in ((partial, own_files.PARTS), (checkpoints, own_files.STATES)):
        files = [path for path in store.folder.rglob("*") if path.is_file()]
        assert own_files.matching(store.folder, pattern) == sorted(files)
        (store.folder / "mine.txt").write_text("")
        store.clear()
        assert [path.name for path in store.folder.iterdir()] == ["mine.txt"]


def test_where_nothing_can_be_written(checkpoints):
    """A file stands where the directory should be: permissions would not stop a superuser."""
    checkpoints.folder.write_text("in the way")
    with pytest.raises(UserError, match="cannot write a checkpoint"):
        checkpoints.save(3, TREE, RECORD)


def test_a_file_that_was_cut_off_is_not_there(partial, checkpoints, monkeypatch):
    """A file takes its name when it is whole, also in place of an earlier one."""

    def cut(file, **arrays):
        file.write(b"half")
        raise KeyboardInterrupt

    checkpoints.save(3, TREE, RECORD)
    monkeypatch.setattr(np, "savez", cut)
    with pytest.raises(KeyboardInterrupt):
        partial.keep_tree("tree", {"x": np.zeros(3)})
    with pytest.raises(KeyboardInterrupt):
        checkpoints.save(3, TREE | {"step": jnp.array(8)}, RECORD)
    assert partial.tree("tree") is None
    assert checkpoints.restore(3, TREE)[0]["step"] == 7


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
