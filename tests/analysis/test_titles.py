"""On narrow screens, where panels stand below one another, each of them names its case."""

import pytest

from analysis.figures import style, titles
from analysis.figures.narrow import narrow


def named(rows, columns, fill) -> list[str]:
    """The titles on narrow screens of a figure with so many rows and columns; `fill` gives each panel its texts."""
    with style.paper(), style.closed(), narrow():
        figure, axes = style.panels(rows, columns, width=9, height=6)
        for row in range(rows):
            for column in range(columns):
                axes[row][column].set(**fill(row, column))
        titles.name_panels(axes)
        assert figure.axes == list(axes.flat)
        return [panel.get_title() for panel in axes.flat]


def test_the_case_of_a_column_is_repeated():
    """As in figure 1: one column per task, named by the first row alone, and one row per number."""

    def fill(row, column):
        title = {0: ("plain", "rag dot")[column], 1: "a ratio"}.get(row, "")
        return {"title": title, "ylabel": ("loss,\nsquared", "ratio", "cosine", "distance")[row]}

    assert named(4, 2, fill) == [
        "plain: loss, squared", "rag dot: loss, squared", "plain: a ratio", "rag dot: a ratio", "plain: cosine",
        "rag dot: cosine", "plain: distance", "rag dot: distance",
    ]  # fmt: skip


def test_the_case_of_a_row_is_repeated():
    def fill(row, column):
        return {"title": (f"{row + 1} layers: loss", "answers as which steps?")[column]}

    assert named(2, 2, fill) == [
        "1 layers: loss", "1 layers: answers as which steps?", "2 layers: loss", "2 layers: answers as which steps?",
    ]  # fmt: skip


def test_titles_that_name_their_panels_stay():
    assert named(2, 2, lambda row, column: {"title": "abcd"[2 * row + column]}) == [*"abcd"]
    assert named(1, 1, lambda row, column: {"ylabel": "loss"}) == [""], "a single panel needs none"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([("loss", "step"), ("AUC", "step")], ["loss", "AUC"]),
        ([("rate", "width"), ("rate", "layers")], ["width", "layers"]),
        ([("gain", "step"), ("gain", "step"), ("gain", "")], ["gain, by step", "gain, by step", "gain"]),
    ],
)
def test_panels_without_titles_are_named_by_their_axes(labels, expected):
    def fill(row, column):
        return dict(zip(("ylabel", "xlabel"), labels[column], strict=True))

    result = named(1, len(labels), fill)
    assert [name.split(":")[0] for name in result] == expected


def test_a_panel_that_was_removed_has_no_title():
    """A figure with fewer cases than panels removes the rest; the others keep their names."""
    with style.paper(), style.closed(), narrow():
        figure, axes = style.panels(1, 3, width=9, height=3)
        for panel, name in zip(axes.flat, ("loss", "accuracy", ""), strict=True):
            panel.set(title=name)
        axes[0, 2].remove()
        style.arrange(figure)
        assert [panel.get_title() for panel in figure.axes] == ["loss", "accuracy"]
