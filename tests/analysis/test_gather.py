"""The tables of a sweep whose points have different places, as parts with a key of their own."""

from analysis.figures.controls import by_place
from analysis.tables.gather import PointDirectory
from analysis.tables.select import table
from lab.runs.directory import RunDirectory
from tests.analysis import runs

PLACES = [{"part": "small"}, {"part": "large", "sigma": "0.2"}, {"part": "large", "sigma": "0.3"}]


def test_all_places_come_first_and_tell_the_points_apart(tmp_path):
    points = []
    for number, place in enumerate(PLACES):
        directory = runs.run(tmp_path / f"run{number}", {}, [{"step": 0, "height": number}, {"step": 1, "height": 0}])
        points.append(PointDirectory(f"point {number}", place, {}, directory))
    rows = table(runs.sweep(tmp_path / "sweep", points), "heights")
    assert [*rows[0]] == ["part", "sigma", "step", "height"]
    assert [len(group) for group in by_place(rows).values()] == [2, 2, 2]
    assert [group[0]["height"] for group in by_place(rows).values()] == [0.0, 1.0, 2.0]


def test_a_point_all_of_whose_seeds_diverged_has_their_steps_and_no_other_row(tmp_path):
    done = runs.run(tmp_path / "done", {}, [{"step": 0, "height": 1}])
    failed = RunDirectory(tmp_path / "failed")
    failed.path.mkdir()
    failed.write_table("diverged", [{"seed": 0, "step": 7, "why": "the loss became nan"}])
    failed.write_table("heights", [{"step": 0, "height": 2}])
    failed.fail("the loss became nan")
    points = [PointDirectory(name, {"part": name}, {}, each) for name, each in (("a", done), ("b", failed))]
    sweep = runs.sweep(tmp_path / "sweep", points)
    assert table(sweep, "diverged") == [{"part": "b", "seed": 0.0, "step": 7.0, "why": "the loss became nan"}]
    assert [row["part"] for row in table(sweep, "heights")] == ["a"]
    assert sweep.read_summary()["failed"] == {"b": "the loss became nan"}
