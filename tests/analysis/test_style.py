"""How figures look: nothing is cut off."""

import pytest

from analysis.figures import panels, style
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

REFERENCES = ["gradient_descent", max((name for name in style.LEARNERS), key=lambda name: len(ROLES[name].label))]


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("narrow", [True, False])
def test_titles_are_within_the_figure(reference, narrow, tmp_path):
    """Also the longest: that of the loss relative to the learner with the longest name."""
    directory = RunDirectory(tmp_path)
    losses = {"loss.transformer": 1.0, "loss.interpolated": 2.0, f"loss.{reference}": 1.0}
    directory.write_table("curves", [{"step": step, "seed": 0, **losses} for step in (0, 1)])
    with style.paper(), style.closed():
        if narrow:
            with style.narrow():
                figure, axes = style.panels(2, 2, width=9, height=6)
        else:
            figure, axes = style.panels(2, 2, width=9, height=6)
        for panel in axes.flat:
            panels.excess(panel, directory, reference)
        style.save_image(figure, directory, "figure")
        for panel in axes.flat:
            box = panel.title.get_window_extent()
            assert box.width > 0
            assert 0 <= box.x0 < box.x1 <= figure.bbox.width
            assert box.y1 <= figure.bbox.height
