"""How figures look: nothing is cut off."""

import contextlib

import matplotlib
import pytest

from analysis.figures import style
from analysis.figures.narrow import narrow
from experiments.regression.comparison.drawing import panels
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

REFERENCES = ["gradient_descent", max((name for name in style.LEARNERS), key=lambda name: len(ROLES[name].label))]


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("screen", [narrow, contextlib.nullcontext], ids=["narrow", "wide"])
def test_titles_are_within_the_figure(reference, screen, tmp_path):
    """Also the longest: that of the loss relative to the learner with the longest name."""
    directory = RunDirectory(tmp_path)
    losses = {"loss.transformer": 1.0, "loss.interpolated": 2.0, f"loss.{reference}": 1.0}
    directory.write_table("curves", [{"step": step, "seed": 0, **losses} for step in (0, 1)])
    with style.paper(), style.closed():
        with screen():
            figure, axes = style.panels(2, 2, width=9, height=6)
        for panel in axes.flat:
            panels.excess(panel, directory, reference)
        style.save(figure, directory, "figure")
        for panel in axes.flat:
            box = panel.title.get_window_extent()
            assert box.width > 0
            assert 0 <= box.x0 < box.x1 <= figure.bbox.width
            assert box.y1 <= figure.bbox.height


def test_a_title_beside_wide_labels_is_within_the_figure():
    with style.paper(), style.closed():
        with narrow():
            figure, axes = style.panels(2, 1, width=9, height=6)
        for panel in axes.flat:
            panel.barh(["a bar with a long name,\nand more of it"], [1.0])
            panel.set_title("time of a training step / of the lab's")
        style.arrange(figure)
        for panel in axes.flat:
            box = panel.title.get_window_extent()
            assert 0 <= box.x0 < box.x1 <= figure.bbox.width
            assert "\n" in panel.get_title()


@pytest.mark.usefixtures("drawn")
def test_a_matplotlibrc_of_the_user_s_changes_nothing(tmp_path):
    """Neither a look nor LaTeX, which need not be installed."""

    def curve(directory):
        figure, axes = style.panels(1, 1, width=9, height=3)
        axes[0][0].plot([0, 1], [0.1, 0.2], label="a line")
        return figure

    own = {"text.usetex": True, "axes.facecolor": "black", "font.size": 20, "savefig.transparent": True}
    for name, settings in {"plain": {}, "own": own}.items():
        (tmp_path / name).mkdir()
        with matplotlib.rc_context(settings):
            style.draw_as("curve", curve, RunDirectory(tmp_path / name))
            assert {key: matplotlib.rcParams[key] for key in settings} == settings, "a notebook keeps its own"
    for file in ("curve.svg", "curve.png", "curve.pdf"):
        assert len({(tmp_path / name / "figures" / file).read_bytes() for name in ("plain", "own")}) == 1


@pytest.mark.parametrize(("values", "low"), [((0.9, 0.95), 0.9), ((0.9997, 0.9999), 0.999), ((-0.2, 1.0), -0.2)])
def test_a_line_of_cosines_is_inside_its_panel(values, low):
    """Also where all of them are nearly 1."""
    with style.paper(), style.closed():
        _, axes = style.panels(1, 1, width=9, height=6)
        axes[0][0].plot([0, 1], values)
        style.limit(axes[0][0], "sensitivity_cosine")
        least, most = axes[0][0].get_ylim()
    assert least <= low
    assert 1 < most < 1 + 0.04 * (1 - least)


def ends_of(figure):
    """{label: (its height as a share of the panel, its colour)} of the texts beside a panel."""
    return {text.get_text(): (text.xy[1], text.get_color()) for axes in figure.axes for text in axes.texts}


def test_curves_have_their_labels_at_their_ends():
    """In the last panel of a row, in the curve's colour and at its height; of equal heights one above the other."""
    with style.paper(), style.closed():
        figure, panels = style.panels(1, 2, 9, 3)
        for panel in panels[0]:
            for label, end in {"low": 0.0, "high": 1.0, "as high": 1.0}.items():
                panel.plot([0, 1, 2], [0.5, 0.2, end], label=label)
            panel.set_ylim(0, 2)
        style.arrange(figure)
        ends = ends_of(figure)
        assert len(ends) == 3, "once, and not in the first panel"
        assert ends["low"][0] == pytest.approx(0.0)
        first, second = sorted(ends[name][0] for name in ("high", "as high"))
        assert first == pytest.approx(0.5)
        points = (second - first) * panels[0, 1].get_position().height * figure.get_figheight() * 72
        assert points > 7, "of seven points high"
        colours = {curve.get_label(): curve.get_color() for curve in panels[0, 1].get_lines()}
        assert {name: colour for name, (_, colour) in ends.items()} == colours


def test_labels_at_ends_are_within_limits_that_nobody_has_asked_for():
    """Matplotlib finds the limits of a panel when they are first asked for; before, they are 0 and 1."""
    with style.paper(), style.closed():
        figure, ((panel,),) = style.panels(1, 1, 9, 3)
        for label, end in {"low": 20.0, "middle": 30.0, "high": 40.0}.items():
            panel.plot([0, 1], [20.0, end], label=label)
        style.arrange(figure)
        assert ends_of(figure)["middle"][0] == pytest.approx(0.5)


def test_panels_without_room_keep_their_legend_alone():
    with style.paper(), style.closed():
        figure, ((panel,),) = style.panels(1, 1, 9, 3)
        for number in range(12):
            panel.plot([0, 1], [number, number], label=f"number {number}")
        style.arrange(figure)
        assert not ends_of(figure)
    with style.paper(), style.closed(), narrow():
        figure, ((panel,),) = style.panels(1, 1, 9, 3)
        for number in range(2):
            panel.plot([0, 1], [number, number], label=f"number {number}")
        style.arrange(figure)
        assert not ends_of(figure), "on narrow screens"
