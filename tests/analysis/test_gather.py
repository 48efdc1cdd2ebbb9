"""The tables of a sweep whose points have different places, as parts with a key of their own."""

from analysis.figures.learned import by_place
from analysis.tables.gather import PointDirectory
from analysis.tables.select import table
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
