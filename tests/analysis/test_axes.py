"""The axes of sweeps: logarithmic where values are steps of a ratio, with ticks that can be read."""

import pytest

from analysis.figures import style
from analysis.figures.axes import scale


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
