"""Verdicts on other worlds, and figures with one row per way of training."""

import pytest

from analysis.figures import style
from analysis.tables.in_memory import Tables
from analysis.tables.select import Row
from experiments.clicks.dti.drawing.parts import draw_parts
from experiments.clicks.dti.figures import dti_worlds
from tests.experiments.clicks.dti.made_up import rows_of, verdicts


@pytest.mark.parametrize("holds", [True, False])
def test_verdicts_on_worlds_follow_the_numbers(holds):
    def auc_of(part):
        gap = 0.01 if part == ("lasting_naive" if holds else "changing_naive") else 0.004
        return (0.7 if part == ("ordered_local" if holds else "ordered_split") else 0.8), gap

    parts = [f"{world}_{scheme}" for world, (_, schemes) in dti_worlds.WORLDS.items() for scheme in schemes]
    rows = rows_of(auc_of, part=parts)
    assert verdicts(dti_worlds.CLAIMS, rows) == [holds, holds]
    rows += [Row(row | {"answers": answers}) for row in rows for answers in ("bayes_window", "bayes_all")]
    with style.paper():
        figure = dti_worlds.draw(Tables(clicks=rows))
    assert [len(panel.get_yticks()) for panel in figure.axes] == [1, 1, 3]
    style.plt.close(figure)


def test_a_decoder_of_sliding_windows_has_no_other_prompts_as_in_training():
    rows = rows_of(lambda part: (0.8, 0.0), part=["sliding", "naive"])
    with style.paper():
        figure, axes = style.panels(1, 1, width=6, height=3)
        draw_parts(axes[0, 0], rows, ["sliding", "naive"], ["sliding", "naive"])
        shown = {each.get_label(): len(each[0].get_xdata()) for each in axes[0, 0].containers}
    assert shown == {"prompts as in training": 1, "sliding windows": 2}
    style.plt.close(figure)
