"""A sweep over seeds is drawn as points, their mean and a band, and not as a line from one seed to the next; axes are
logarithmic where values are steps of a ratio, with ticks that can be read."""

import numpy as np
import pytest

from analysis.figures import load, style
from analysis.figures.axes import scale, series
from analysis.figures.svg import markup
from analysis.tables.gather import PointDirectory
from tests.analysis import runs

VALUES = {0: 1.0, 1: 4.0, 2: 1.0}


def sweep(path, places: list[dict[str, str]], numbers: list[float]):
    points = []
    for number, (place, value) in enumerate(zip(places, numbers, strict=True)):
        directory = runs.run(
            path / f"run{number}", {"bounces": value, "bounces.stderr": 0.5}, [{"time": 0, "height": 1}]
        )
        points.append(PointDirectory(f"point {number}", place, {}, directory))
    return runs.sweep(path / "sweep", points)


def of_seeds(path, key="seed"):
    return sweep(path, [{key: str(seed)} for seed in VALUES], [*VALUES.values()])


def lines(directory) -> tuple[list[tuple], list]:
    """Those that join points, as their data, and the bands, of the first panel."""
    with style.paper(), style.closed():
        figure = load("points").draw(directory)
        panel = figure.axes[0]
        style.arrange(figure)
        markup(figure)
        joined = [line for line in panel.lines if line.get_linestyle() != "None"]
        data = [tuple(np.round(np.ravel(line.get_xydata()), 6)) for line in joined]
        marked = [line for line in panel.lines if line.get_marker() == "o"]
        bands = [collection for collection in panel.collections if type(collection).__name__ != "LineCollection"]
        heights = [(path.vertices[:, 1].min(), path.vertices[:, 1].max()) for b in bands for path in b.get_paths()]
        return data, [[tuple(map(float, line.get_ydata())) for line in marked], heights]


@pytest.mark.parametrize("key", ["seed", "seeds"])
def test_a_sweep_over_seeds_is_a_mean_with_a_band_and_points(key, tmp_path):
    directory = of_seeds(tmp_path, key)
    axis, (line,) = series(directory)
    assert axis == key
    assert line.repeats
    joined, (points, bands) = lines(directory)
    assert joined == [(0, 2, 2, 2)], "the mean of 1, 4 and 1, at every seed"
    assert points == [tuple(VALUES.values())]
    spread = np.std([*VALUES.values()], ddof=1)
    assert bands == [pytest.approx((2 - spread, 2 + spread))]


def test_seeds_of_a_sweep_over_a_setting_are_averaged(tmp_path):
    places = [{"seed": str(seed), "drop.height": str(height)} for height in (1, 2) for seed in (0, 1, 2)]
    directory = sweep(tmp_path, places, [1.0, 4.0, 1.0, 5.0, 5.0, 8.0])
    axis, (line,) = series(directory)
    assert axis == "drop.height", "although there are more seeds than heights"
    assert line.place == ""
    x, means, spreads = line.means("bounces", "bounces.stderr")
    assert (x, [*means]) == ([1.0, 2.0], [2.0, 6.0])
    assert spreads == pytest.approx([np.sqrt(3), np.sqrt(3)])
    joined, (points, bands) = lines(directory)
    assert joined == [(1, 2, 2, 6)]
    assert points == [(1.0, 4.0, 1.0, 5.0, 5.0, 8.0)]
    assert len(bands) == 1


def test_points_without_repetitions_keep_their_own_errors(tmp_path):
    directory = sweep(tmp_path, [{"drop.height": "1"}, {"drop.height": "2"}], [1.0, 3.0])
    _, (line,) = series(directory)
    assert not line.repeats
    assert [*line.means("bounces", "bounces.stderr")[2]] == [0.5, 0.5]
    assert lines(directory)[0] == [(1, 1, 2, 3)]


def panel():
    return style.panels(1, 1, width=4, height=3)[1][0, 0]


@pytest.mark.parametrize(
    ("values", "is_log"),
    [([3e-4, 1e-3, 3e-3], True), ([1.0, 2.0, 4.0, 8.0], True), ([1.0, 2.0, 3.0], False), ([0.0, 1.0, 10.0], False)],
)
def test_a_setting_of_few_values_has_a_tick_at_each(values, is_log):
    axes = panel()
    axes.plot(values, values)
    scale(axes, values)
    assert (axes.get_xscale() == "log") == is_log
    assert list(axes.get_xticks()) == values


def test_words_stay_as_they_are():
    axes = panel()
    axes.plot(["a", "b"], [1, 2])
    scale(axes, ["a", "b"])
    assert axes.get_xscale() == "linear"


@pytest.mark.parametrize("high", [1.5, 30.0, 1e3, 1e5, 1e9])
def test_a_logarithmic_axis_has_ticks_however_long_it_is(high):
    axes = panel()
    axes.plot([0, 1], [0.7, high])
    style.log(axes)
    low, top = axes.get_ylim()
    assert sum(low <= tick <= top for tick in axes.get_yticks()) >= 2
