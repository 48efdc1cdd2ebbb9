"""Trained learners as what other runs start from."""

import contextlib
import io
import json
import shutil
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from lab.errors import NotFinite, UserError, explain
from lab.layouts.merged import TokenLayout
from lab.learners.learner import Fixed, Learner
from lab.learners.linear_transformer import LinearTransformer, Shape
from lab.runs.directory import RunDirectory
from tasks.catalogue import TASKS
from tests.command_line import TINY
from tests.compiled import sampled
from tests.own_files import BOUNCE, launch, write
from tests.trainers.sessions import settings_of
from trainers import learner_store, pending
from trainers.record import Record

TASK = TASKS["plain"](num_context=4, input_dim=3)


class Other(Learner):
    """A parameter, an array that no trainer changes, and a number that is no array."""

    def __init__(self, width: int, kind=jnp.float32):
        self.width = width
        self.weight = nnx.Param(jnp.arange(width, dtype=kind))
        self.fixed = Fixed(jnp.ones((2, width), kind))

    def __call__(self, prompt):
        raise NotImplementedError


def transformer(layers: int = 2) -> LinearTransformer:
    shape = Shape(layout=TokenLayout.of(TASK), num_layers=layers, num_heads=1, recurrent=False)
    return LinearTransformer(shape, jax.random.key(3), 0.5)


def structure(learner):
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), learner)


@pytest.fixture
def directory(tmp_path):
    return RunDirectory(tmp_path)


def test_what_is_read_answers_as_what_was_written(directory):
    """Bit for bit."""
    learner, prompts = transformer(), sampled(TASK, jax.random.key(0), 5).prompt
    learner_store.write(directory, "model", learner)
    back = learner_store.read(directory, "model", structure(learner), 0)
    answers, expected = (jax.jit(jax.vmap(each.__call__))(prompts) for each in (back, learner))
    np.testing.assert_array_equal(answers, expected)
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(back))
    assert np.any(np.asarray(expected) != 0)


@pytest.mark.parametrize("bad", [jnp.nan, jnp.inf])
def test_weights_that_are_no_numbers_are_refused(bad, directory):
    """Those of another seed are not asked for."""
    learner = Other(3)
    learner_store.write(directory, "model", jax.tree.map(lambda leaf: jnp.stack([leaf, leaf * bad]), learner))
    learner_store.read(directory, "model", structure(learner), 0)
    with pytest.raises(NotFinite, match="the kept learner model has NaN or infinite numbers"):
        learner_store.read(directory, "model", structure(learner), 1)


def test_of_several_seeds_one_is_read(directory):
    learner = Other(3)
    learner_store.write(directory, "model", jax.tree.map(lambda leaf: jnp.stack([leaf, 10 + leaf]), learner))
    for member in (0, 1):
        back = learner_store.read(directory, "model", structure(learner), member)
        np.testing.assert_array_equal(back.weight[...], learner.weight[...] + 10 * member)
        np.testing.assert_array_equal(back.fixed[...], learner.fixed[...] + 10 * member)
    for member in (2, -1):
        with pytest.raises(UserError, match=r"has 2 seeds, and no number"):
            learner_store.read(directory, "model", structure(learner), member)


def test_a_seed_has_its_own_learner_where_another_one_diverged(directory):
    settings: Any = SimpleNamespace(seed=4, seeds=3)
    assert [learner_store.member_of(directory, settings, seed) for seed in (4, 5, 6)] == [0, 1, 2]
    directory.write_table("diverged", [{"seed": 5, "step": 0, "why": "it grew"}])
    assert [learner_store.member_of(directory, settings, seed) for seed in (4, 6)] == [0, 1]
    for seed, why in ((5, "it diverged"), (3, "there are 4, 6")):
        with pytest.raises(UserError, match=f"no learner of seed {seed} is kept: {why}"):
            learner_store.member_of(directory, settings, seed)


@pytest.mark.parametrize(
    ("expected", "why"),
    [
        (Other(4), r"is float32\[2, 3\], not float32\[2, 4\]"),
        (Other(3, jnp.int32), r"is float32\[2, 3\], not int32\[2, 3\]"),
        (transformer(), "see "),
    ],
)
def test_another_structure_is_refused(expected, why, directory):
    learner_store.write(directory, "model", Other(3))
    with pytest.raises(UserError, match=f"the kept learner model has another structure than expected.*{why}"):
        learner_store.read(directory, "model", structure(expected), 0)


def _foreign() -> bytes:
    file = io.BytesIO()
    np.savez(file, weight=np.ones(3))
    return file.getvalue()


DAMAGE = {
    "truncated": lambda content: content[:-40],
    "changed": lambda content: content.replace(np.arange(3, dtype=np.float32).tobytes(), bytes(12)),
    "empty": lambda content: b"",
    "another's": lambda content: _foreign(),
    "no numbers": lambda content: b"my notes",
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_file_is_one_line(case, directory):
    learner_store.write(directory, "model", Other(3))
    npz = directory.path / "learner_model.npz"
    whole = npz.read_bytes()
    npz.write_bytes(DAMAGE[case](whole))
    assert npz.read_bytes() != whole
    why = "another structure" if case == "another's" else r"learner_model.npz: damaged, .*run\.force=true"
    with pytest.raises(UserError, match=why):
        learner_store.read(directory, "model", structure(Other(3)), 0)


def test_a_missing_file_is_one_line(directory):
    with pytest.raises(UserError, match="no learner called model was kept there"):
        learner_store.read(directory, "model", structure(Other(3)), 0)


SMALL = ["experiment=plain", *TINY, "task.input_dim=3"]
MODEL = "model=[" + ",".join(f'"{word}"' for word in SMALL) + "]"


@pytest.mark.slow
@pytest.mark.usefixtures("tables")
def test_a_run_that_starts_from_another(tmp_path, monkeypatch):
    """The other is run first where it is not there; its hash is part of the name; what is damaged is one line."""
    monkeypatch.chdir(tmp_path)
    words = [write(tmp_path, BOUNCE), "kind=bounce", "name=bounce", "run.dir='it\\'s here'"]
    launch(*words, MODEL)
    (model,) = tmp_path.glob("it's here/plain/*/DONE")
    (first,) = tmp_path.glob("it's here/bounce/*/DONE")
    assert json.loads((first.parent / "summary.json").read_text())["numbers"]["trained"] == 1
    assert model.parent.name in (first.parent / "config.yaml").read_text()
    written = model.stat().st_mtime_ns
    launch(*words, MODEL, "height=2")
    assert model.stat().st_mtime_ns == written, "it is there already"
    assert len([*tmp_path.glob("it's here/bounce/*/DONE")]) == 2

    record = Record(settings_of(*words, MODEL), "again")
    kept = dict(np.load(model.parent / "learner_transformer.npz"))
    leaves = jax.tree_util.tree_leaves_with_path(record.trained(SMALL)["transformer"])
    assert kept.keys() == {jax.tree_util.keystr(path) for path, _ in leaves}
    for path, leaf in leaves:
        np.testing.assert_array_equal(leaf, kept[jax.tree_util.keystr(path)][0])

    def refused(*run: str) -> str:
        with pytest.raises(UserError) as caught:
            record.trained([*run])
        return explain(caught.value)

    assert "the run is not finished" in refused(*SMALL, "seed=5")
    assert "a sweep keeps no learners" in refused(*SMALL, 'grid=["seed=1,2"]')
    assert "a run of the kind dual_form keeps no learners" in refused("experiment=dual_form")
    npz = model.parent / "learner_transformer.npz"
    npz.write_bytes(npz.read_bytes()[:100])
    assert "damaged, or not written by this lab" in refused(*SMALL)
    with pytest.raises(UserError, match="damaged, or not written by this lab"):
        launch(*words, MODEL, "height=3")
    shutil.rmtree(model.parent)
    launch(*words, MODEL, "height=4")
    assert model.exists(), "a run that is gone is made anew"


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("model", "line"),
    [
        ('["experiment=plain","learners=[nosuch]"]', "learners: nosuch: no such learner"),
        ('["experiment=nosuch"]', "experiment=nosuch: no such experiment"),
        ('["experiment=plain","figure=nosuch"]', "figure=nosuch: no such figure"),
        ('["kind=comparison"]', "a run that others start from needs a name"),
    ],
)
def test_what_it_starts_from_is_checked_before_anything_is_written(model, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception) as caught:  # noqa: PT011
        launch(write(tmp_path, BOUNCE), "kind=bounce", "name=bounce", f"model={model}")
    assert line in explain(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["my.py"]


def test_a_run_that_is_killed_before_it_is_renamed_is_found_by_others_with_its_training(tmp_path, monkeypatch):
    record = Record(settings_of("experiment=plain", f"run.dir={tmp_path}"), "again")
    monkeypatch.setattr(pending, "judge", lambda directory: None)
    monkeypatch.setattr(pending, "draw", lambda directory: None)
    monkeypatch.setattr(Record, "take_place", lambda self: pytest.exit("killed"))
    with contextlib.suppress(pytest.exit.Exception), pending.at_work([record]):
        record.curve([{"step": 1, "seed": 0}])
        record.save(1, {"weight": np.ones(2)}, {})
    assert learner_store.earlier(record.settings) is None
    record.place.settle(record.settings)
    assert learner_store.earlier(record.settings) == record.place.path
