"""How figures look: nothing is cut off."""

import contextlib

import pytest

from analysis.figures import style
from analysis.figures.narrow import narrow
from experiments.comparison.drawing import panels
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
        style.save_image(figure, directory, "figure")
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
