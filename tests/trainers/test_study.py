"""A study on a made-up kind: the order of its rows, the keys of its blocks, what is kept, means over seeds."""

import dataclasses
from typing import ClassVar

import jax
import numpy as np
import pytest

from lab.config.base import Base
from lab.errors import Diverged, NotFinite
from lab.runs import console, interrupt
from tests.recorded import Recorded
from trainers.part_store import Partial
from trainers.streams import Stream, key_of
from trainers.study import Part, Study, blocks_of, over_seeds
from trainers.training import divergence


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
        return over_seeds(tables["means"], "mean", lambda row: f"mean.{row['sign']}")


def studied(tmp_path):
    record = Recorded(Settings(seed=3), tmp_path)
    Draws(record).run()
    return record


def test_rows_come_in_the_order_of_the_parts_with_their_columns(tmp_path):
    record = studied(tmp_path)
    assert [[row["seed"], row["sign"]] for row in record.tables["means"]] == [[3, 1], [3, -1], [4, 1], [4, -1]]
    assert [*record.tables["means"][0]] == ["seed", "sign", "mean"]
    values = [row["mean"] for row in record.tables["means"] if row["sign"] == 1]
    assert record.values["mean.1"] == pytest.approx(np.mean(values))
    assert record.values["mean.1.stderr"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(2))


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
        return {}


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(
    ("name", "where"),
    [("x", "inner.x is NaN or infinite in draws, block 1"), ("mean", "mean is NaN or infinite in row 1 of means")],
)
def test_a_number_that_is_none_is_refused_and_names_its_part(name, where, value, tmp_path, monkeypatch):
    """Before anything is ranked by it, and before it is kept: the same command refuses it again."""
    monkeypatch.setattr(Spoilt, "spoilt", (name, value))
    record = Recorded(Settings(seed=3, episodes=4), tmp_path)
    for _ in range(2):
        with pytest.raises(NotFinite, match=f"^seed 4, sign -1: {where}: ") as error:
            Spoilt(record).run()
        assert str(error.value).count("\n") == 0
    assert record.tables == {}


@pytest.mark.parametrize("name", ["apart", "correlation.stderr", "lost"])
def test_what_may_be_undefined_is_not_refused(name, tmp_path, monkeypatch):
    """And None is what was not measured."""
    monkeypatch.setattr(Spoilt, "spoilt", (name, None if name == "lost" else np.nan))
    record = Recorded(Settings(seed=3, episodes=4), tmp_path)
    Spoilt(record).run()
    assert len(record.tables["means"]) == 4


def test_divergence():
    ok = np.array([1.0, 5e3, 2.0])
    assert divergence(ok, 1.0, 10) is None
    assert divergence(np.array([1.0, np.nan]), 1.0, 10) == "became nan at step 11"
    assert divergence(np.array([3e4, 4e5, 1.0]), 1.0, 10) == "grew to 3e+04 at step 10, from 1 at the first"
    assert divergence(np.array([3e9, 1.0, 1.0]), 1.0, 0) is None, "single batches may be far off"
    assert issubclass(Diverged, Exception)


def test_a_bar_says_what_is_at_work(monkeypatch):
    updates = []
    monkeypatch.setattr(console.Progress, "update", lambda self, bar, **more: updates.append(more))
    with console.counting_bar("training", 2) as advance:
        advance()
        advance("training, one", steps=0)
    assert updates == [{"advance": 1, "description": "training"}, {"advance": 0, "description": "training, one"}]
