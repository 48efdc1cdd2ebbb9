"""Checkpoints: what is saved comes back bit for bit, and what is damaged or another's does not come back at all."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.errors import UserError
from trainers.checkpoint import KEPT, Checkpoints

TREE = {
    "weights": [jnp.linspace(0.0, 1.0, 6).reshape(2, 3), jnp.array(1e-40)],
    "step": jnp.array(7),
    "alive": jnp.array([True, False]),
}
RECORD = {"curves": [{"loss": 0.1 + 0.2, "bad": float("nan"), "none": None}], "seconds": 1.5}


@pytest.fixture
def checkpoints(tmp_path):
    return Checkpoints(tmp_path / "checkpoints", "some run")


def test_what_is_saved_comes_back_bit_for_bit(checkpoints):
    assert checkpoints.steps == set()
    checkpoints.save(3, TREE, RECORD)
    tree, record = checkpoints.restore(3, TREE)
    for a, b in zip(jax.tree.leaves(tree), jax.tree.leaves(TREE), strict=True):
        assert a.dtype == b.dtype
        assert a.tobytes() == np.asarray(b).tobytes()
    assert repr(record) == repr(RECORD)


def test_the_last_ones_are_kept(checkpoints):
    for step in range(4):
        checkpoints.save(step, TREE, RECORD)
    assert checkpoints.steps == set(range(4 - KEPT, 4))
    checkpoints.clear()
    assert checkpoints.steps == set()


def test_a_step_can_be_saved_again(checkpoints):
    """By a run that was killed over it, or that found it damaged."""
    checkpoints.save(3, TREE, RECORD)
    other = TREE | {"step": jnp.array(8)}
    checkpoints.save(3, other, RECORD)
    assert checkpoints.restore(3, TREE)[0]["step"] == 8


def damaged(path, how):
    data = path.read_bytes()
    middle = len(data) // 2
    changes = {"empty": b"", "truncated": data[:middle], "gone": None}
    changes["changed"] = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :] if data else b"x"
    if changes[how] is None:
        path.unlink()
    else:
        path.write_bytes(changes[how])


@pytest.mark.parametrize("how", ["empty", "truncated", "changed", "gone"])
def test_damage_to_any_file_is_seen(how, checkpoints, capfd):
    checkpoints.save(3, TREE, RECORD)
    files = [path for path in (checkpoints.path / "3").rglob("*") if path.is_file()]
    assert len(files) > 5
    for file in files:
        whole = file.read_bytes()
        damaged(file, how)
        assert checkpoints.restore(3, TREE) is None
        file.write_bytes(whole)
    assert capfd.readouterr().out.count("is damaged") == len(files)
    assert checkpoints.restore(3, TREE) is not None


@pytest.mark.parametrize("content", [b"", b"\xff"])
def test_damage_to_the_sums_is_seen(content, checkpoints):
    checkpoints.save(3, TREE, RECORD)
    (checkpoints.path / "3.sha256").write_bytes(content)
    assert checkpoints.restore(3, TREE) is None


def test_an_empty_directory_is_no_checkpoint(checkpoints):
    checkpoints.path.mkdir()
    assert checkpoints.steps == set()
    (checkpoints.path / "5").mkdir()
    assert checkpoints.steps == set()
    checkpoints.save(5, TREE, RECORD)
    assert checkpoints.restore(5, TREE) is not None


@pytest.mark.parametrize(
    "other",
    [
        TREE | {"step": jnp.zeros(2, int)},
        TREE | {"step": jnp.array(7.0)},
        {key: value for key, value in TREE.items() if key != "alive"},
    ],
)
def test_another_shape_type_or_structure_is_refused(other, checkpoints):
    checkpoints.save(3, TREE, RECORD)
    with pytest.raises(UserError, match=r"another run.*run\.force=true"):
        checkpoints.restore(3, other)


def test_another_run_s_is_refused(checkpoints):
    checkpoints.save(3, TREE, RECORD)
    with pytest.raises(UserError, match="another run"):
        Checkpoints(checkpoints.path, "another").restore(3, TREE)


def test_where_nothing_can_be_written(tmp_path):
    """A file stands where the directory should be: permissions would not stop a superuser."""
    (tmp_path / "checkpoints").write_text("in the way")
    with pytest.raises(UserError, match="cannot write a checkpoint"):
        Checkpoints(tmp_path / "checkpoints", "some run").save(3, TREE, RECORD)


def test_a_finished_run_keeps_the_newest_alone(checkpoints):
    checkpoints.keep_newest()
    for step in (2, 5):
        checkpoints.save(step, TREE, RECORD)
    checkpoints.keep_newest()
    assert checkpoints.steps == {5}
    assert {path.name for path in checkpoints.path.iterdir()} == {"5", "5.sha256"}
    assert checkpoints.restore(5, TREE) is not None
