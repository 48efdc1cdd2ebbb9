"""A study on a made-up kind: the order of its rows, keys of its blocks, trainings, what is kept."""

import dataclasses
import itertools
from types import SimpleNamespace
from typing import Any, ClassVar

import flax.nnx as nnx
import jax
import numpy as np
import pytest

from lab.config.base import Base
from lab.config.choices import Until
from lab.config.training import Training
from lab.errors import Diverged, NotFinite
from lab.learners.learner import Learner
from lab.runs import interrupt
from tasks.plain import Plain
from tests.recorded import Recorded
from tests.tiny_runs import stopping
from trainers import meta, resume
from trainers.population import seeded
from trainers.recipe import Recipe
from trainers.session import Session
from trainers.store import Partial
from trainers.streams import Stream, key_of
from trainers.study import Part, Study, blocks_of
from trainers.training import divergence, trained


@dataclasses.dataclass
class Settings(Base):
    seeds: int = 2
    episodes: int = 5


class Draws(Study[Settings]):
    TABLES: ClassVar = ("means", "first")
    measured: ClassVar[list] = []

    def parts(self):
        return [Part({"seed": seed, "sign": sign}, 2) for seed in self.seeds for sign in (1, -1)]

    def measure(self, part):
        seed, sign = part.columns.values()
        self.measured.append((seed, sign))

        def draw(key):
            return {"inner": {"x": sign * jax.random.normal(key, (4,))}}

        x_B = self.blocks("draws", draw, self.key(seed, Stream.test), self.settings.episodes, 4)["inner"]["x"]
        assert x_B.shape == (5,)
        return {"means": [{"mean": x_B.mean(dtype=np.float64)}], "first": [{"x": x_B[0]}, {"x": x_B[4]}]}

    def numbers(self, tables):
        return {"mean": float(np.mean([row["mean"] for row in tables["means"]]))}


def studied(tmp_path):
    record: Any = Recorded(Settings(seed=3), tmp_path)
    Draws(record).run()
    return record


def test_rows_come_in_the_order_of_the_parts_with_their_columns(tmp_path):
    record = studied(tmp_path)
    assert [[row["seed"], row["sign"]] for row in record.tables["means"]] == [[3, 1], [3, -1], [4, 1], [4, -1]]
    assert [*record.tables["means"][0]] == ["seed", "sign", "mean"]


def test_each_block_has_a_key_of_its_own_and_what_is_too_much_is_cut(tmp_path):
    record = studied(tmp_path)
    keys = [jax.random.fold_in(key_of(3, Stream.test), block) for block in range(2)]
    expected = np.concatenate([jax.random.normal(key, (4,)) for key in keys])
    assert [row["x"] for row in record.tables["first"][:2]] == [expected[0].item(), expected[4].item()]
    assert [blocks_of(count, 4) for count in (3, 4, 5, 8)] == [1, 1, 2, 2]


@pytest.mark.parametrize("stop", range(1, 12))
def test_it_goes_on_after_the_last_block(stop, tmp_path, monkeypatch):
    """Stopped wherever it asks, it comes to the same tables; no block is drawn twice."""
    whole, drawn = studied(tmp_path / "whole"), []
    real, asked = interrupt.check, [0]

    def check():
        asked[0] += 1
        if asked[0] == stop:
            raise interrupt.Stopped(2)
        real()

    monkeypatch.setattr(interrupt, "check", check)
    monkeypatch.setattr(
        Partial,
        "keep_tree",
        lambda self, name, tree, keep=Partial.keep_tree: (drawn.append(name), keep(self, name, tree)),
    )
    with pytest.raises(interrupt.Stopped):
        studied(tmp_path / "cut")
    rest = studied(tmp_path / "cut")
    assert (rest.tables, rest.values) == (whole.tables, whole.values)
    assert len(drawn) == len({*drawn}) == 8


class Line(Learner):
    """Answers w . x, for one weight per input."""

    def __init__(self, key: jax.Array, width: int):
        self.weight = nnx.Param(jax.random.normal(key, (width,)))

    def __call__(self, prompt):
        return prompt.query.x @ self.weight[...][:, None]


def training(**changes) -> Training:
    return Training(**{"steps": 40, "batch_size": 2, "until": Until.flat, "tolerance": 1.0} | changes)


@dataclasses.dataclass
class Trained(Settings):
    train: Training = dataclasses.field(default_factory=training)


class Trains(Study[Trained]):
    """Each seed is a part: a line is trained, and looked at as often as it may be saved."""

    TABLES: ClassVar = ("weights", "looks")

    def parts(self):
        return [Part({"seed": seed}) for seed in self.seeds]

    def measure(self, part):
        seed, task = part.columns["seed"], Plain(num_context=2, input_dim=3)
        population = seeded(task, Recipe.of(self.settings.train, 1), [jax.random.key(seed)])

        def begin(member, prepared):
            return {"line": meta.begin(lambda key, scale: Line(key, 3), member.recipe, member.key)}

        session = Session(population, lambda member: None, begin, self.settings.device, programs=self.programs)

        def weights(learners: dict) -> list[float]:
            return [float(each) for each in learners["line"].weight[...][0]]

        looks = 2, lambda step: [{"step": step, "weight": weights(session.trained)[0]}]
        learners, rows = self.trained(f"line of seed {seed}", session, [seed], looks)
        return {"weights": [{"w": each} for each in weights(learners)], "looks": rows}

    def numbers(self, tables):
        return {}


def line_trained(folder, **train):
    record: Any = Recorded(Trained(seed=3, train=training(**train)), folder)
    record.settings.checkpoint.every = 0
    Trains(record).run()
    return record


@pytest.mark.parametrize("check", [5, 6])
def test_its_trainings_go_on_and_stop_though_they_are_killed_again_and_again(
    check, tmp_path, compiled_once, monkeypatch
):
    """Each process is killed before or after its second step, and in the end the rows, the weights and what is said of
    the trainings are as without it."""
    monkeypatch.setattr(resume, "SHARE", float("inf"))
    whole = line_trained(tmp_path / "whole")
    assert [stopped["step"] for stopped in whole.stopped.values()] == [12, 12], "of 40, the first that can be flat"
    for killed in itertools.count():
        try:
            with stopping(check):
                record = line_trained(tmp_path / "cut")
            break
        except interrupt.Stopped:
            assert killed < 20
    assert killed >= 6
    assert (record.tables, record.notes, record.stopped) == (whole.tables, whole.notes, whole.stopped)


def test_a_training_that_diverges_is_refused_in_one_line_with_its_seed(tmp_path, compiled_once):
    with pytest.raises(Diverged, match=r"the training loss of line became inf at step .* with seed 3") as error:
        line_trained(tmp_path, warmup=0.0, until=None, learning_rate=1e10)
    assert "lower train.learning_rate" in str(error.value)
    assert "\n" not in str(error.value)


class Spoilt(Draws):
    """One block of one part has a number that is none; `spoilt` is where, and what it becomes."""

    UNDEFINED: ClassVar = ("correlation", "apart")
    spoilt: ClassVar = ("x", np.nan)

    def measure(self, part):
        (name, value), bad = self.spoilt, part.columns == {"seed": 4, "sign": -1}

        def draw(key):
            values = jax.random.normal(key, (4,))
            return {"inner": {each: values.at[1].set(value if bad and each == name else 0) for each in ("x", "apart")}}

        x_B = self.blocks("draws", draw, self.key(part.columns["seed"], Stream.test), 4, 4)["inner"]["x"]
        numbers = {"mean": x_B.mean(dtype=np.float64), "lost": None, "correlation.stderr": 0.0}
        return {"means": [numbers | ({name: value} if bad and name in numbers else {})], "first": []}

    def numbers(self, tables):
        return {}  # there may be no mean


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(
    ("name", "where"),
    [("x", "inner.x is NaN or infinite in draws, block 1"), ("mean", "mean is NaN or infinite in row 1 of means")],
)
def test_a_number_that_is_none_is_refused_and_names_its_part(name, where, value, tmp_path, monkeypatch):
    """Before anything is ranked by it, and before it is kept: the same command refuses it again."""
    monkeypatch.setattr(Spoilt, "spoilt", (name, value))
    record: Any = Recorded(Settings(seed=3, episodes=4), tmp_path)
    for _ in range(2):
        with pytest.raises(NotFinite, match=f"^seed 4, sign -1: {where}: ") as error:
            Spoilt(record).run()
        assert str(error.value).count("\n") == 0
    assert record.tables == {}


@pytest.mark.parametrize("name", ["apart", "correlation.stderr", "lost"])
def test_what_may_be_undefined_is_not_refused(name, tmp_path, monkeypatch):
    """And None is what was not measured."""
    monkeypatch.setattr(Spoilt, "spoilt", (name, None if name == "lost" else np.nan))
    record: Any = Recorded(Settings(seed=3, episodes=4), tmp_path)
    Spoilt(record).run()
    assert len(record.tables["means"]) == 4


def test_what_has_no_learners_trains_nothing():
    session: Any = SimpleNamespace(like=lambda: (None, {}))
    record: Any = SimpleNamespace(partial=None)
    assert trained(record, "constants", session, [0], print) == ({}, [])


def test_divergence():
    ok = np.array([1.0, 5e3, 2.0])
    assert divergence(ok, 1.0, 10) is None
    assert divergence(np.array([1.0, np.nan]), 1.0, 10) == "became nan at step 11"
    assert divergence(np.array([3e4, 4e5, 1.0]), 1.0, 10) == "grew to 3e+04 at step 10, from 1 at the first"
    assert divergence(np.array([3e9, 1.0, 1.0]), 1.0, 0) is None, "single batches may be far of"
